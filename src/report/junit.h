/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_JUNIT_H
#define HEDDLE_JUNIT_H

/*
 * Verdicts as JUnit XML, which every CI server reads: a test suite, a case
 * for each test. Broken is a failure, unknown is an error (the test did not do
 * its work), held has passed; a known failure (--baseline) is skipped and says
 * so. The caller owns everything; characters that XML cannot hold become
 * U+FFFD.
 */

#include "format/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct junit_case {
	const char *group; /* JUnit's class name; NULL: that of the suite */
	const char *name;
	double seconds;
	enum exit_status status; /* EXIT_FAILED counts as an error */
	bool is_known;		 /* broken, and expected to be */
	const char *kind;	 /* "deadlock"; may be NULL */
	const char *message;	 /* one line; may be NULL */
	const char *text;	 /* the whole story; may be NULL */
	const char *output;	 /* what the program printed; may be NULL */
};

struct junit_suite {
	const char *name;
	const struct junit_case *cases;
	size_t count;
};

void junit_write(const struct junit_suite *suite, FILE *out);

#endif
