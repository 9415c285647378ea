/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_EXPOSE_H
#define HEDDLE_REPORT_EXPOSE_H

/*
 * What exposing came to, for people and as JSON: the sizes of what there is to
 * test, what was pruned, what became of each candidate, and each bug with the
 * interleaving that brought it about as a table of two threads.
 */

#include "expose/expose.h"

#include <stdio.h>

struct expose_report {
	const struct expose_result *result;
	const struct expose_options *options;
	bool explains; /* list every candidate, and what was pruned and why */
	const char *store; /* to name in commands; NULL: the default */
};

void report_expose_text(const struct expose_report *r, FILE *out);
void report_expose_json(const struct expose_report *r, FILE *out);

/* How the share of the feasible interleavings that came about has grown: a
 * line, and a drawing. */
void report_coverage_text(const struct expose_result *r, FILE *out);
void report_coverage_svg(const struct expose_result *r, FILE *out);

/* The line for those who wait; the caller frees. */
char *report_expose_progress(const struct expose_news *news);

#endif
