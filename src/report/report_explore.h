/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_EXPLORE_H
#define HEDDLE_REPORT_EXPLORE_H

/*
 * What came of an exploration: its failures as those of any campaign, and the
 * statement: complete, or what is left and why.
 */

#include "explore/explorer.h"

#include <stdio.h>

struct explore_report {
	const struct explore_result *result;
	const struct explore_options *options;
	char *const *names; /* of each failure; NULL: it was not kept */
	const char *store;  /* NULL: the one that is looked in anyway */
	bool shows_costs;
};

void report_explore_text(const struct explore_report *r, FILE *out);

/* One JSON object, described in heddle-explore(1). */
void report_explore_json(const struct explore_report *r, FILE *out);

/* The line for people who wait; the caller frees. */
char *report_explore_news(const struct explore_news *news);

#endif
