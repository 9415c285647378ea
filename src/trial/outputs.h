/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OUTPUTS_H
#define HEDDLE_OUTPUTS_H

/*
 * What a run printed, judged: against a file that has what it should print
 * (--expect), and by a command (--check), which is started without a shell for
 * each run, with what the run printed as its standard input, and says by
 * status 0 that all is well. In its arguments {output} stands for a path to
 * the same, and {status} for the exit status of the run; a command that asks
 * for the status judges it too, and the run need not exit with 0.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/control_block.h"

#include <stdbool.h>
#include <stddef.h>

struct outputs {
	char *expected; /* NULL: nothing is */
	size_t expected_size;
	VEC(char *) check; /* words of the command; NULL at the end */
	bool judges_status;
};

/* Both may be NULL. Fails when the file cannot be read, or there is no such
 * command. */
MUST_USE int outputs_init(struct outputs *o, const char *expect,
			  const char *check, struct err *err);
void outputs_done(struct outputs *o);

bool outputs_is_needed(const struct outputs *o);

/* OUTCOME_NONE, OUTPUT or CHECK for what a run printed and its exit status.
 * `why` (may be NULL) gets a line that the caller frees, or NULL. -1: the
 * command could not be run. */
MUST_USE int outputs_judge(const struct outputs *o, const char *text,
			   size_t size, int status, char **why,
			   struct err *err);

#endif
