/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_REGRESS_H
#define HEDDLE_REPORT_REGRESS_H

/*
 * What came of kept failures against a new build, for people, programs and CI
 * servers.
 */

#include "regress/regress.h"

#include <stdio.h>

struct regress_report {
	const struct regress_result *results;
	size_t count;
	const char *store; /* NULL: the one that is looked in anyway */
	bool explains;
};

/* One: in full. Several: a table, and those that broke in full if it explains
 * itself. */
void report_regress_text(const struct regress_report *r, FILE *out);

/* One JSON object, described in heddle-regress(1). */
void report_regress_json(const struct regress_report *r, FILE *out);

void report_regress_junit(const struct regress_report *r, FILE *out);

/* The worst of all verdicts. */
enum exit_status report_regress_status(const struct regress_report *r);

#endif
