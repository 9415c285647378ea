/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_CAMPAIGN_H
#define HEDDLE_REPORT_CAMPAIGN_H

/*
 * What came of many runs under control, for people and for programs. As in
 * report.h, printing decides nothing.
 */

#include "trial/campaign.h"

#include <jansson.h>
#include <stdio.h>

struct campaign_report {
	const struct campaign_result *result;
	char *const *argv;
	const char *strategy;
	uint64_t seed;
	char *const *names; /* of each failure; NULL: it was not kept */
	const char *store;  /* NULL: the one that is looked in anyway */
	bool shows_output;  /* what failing runs printed */
	uint64_t before;    /* runs that are not counted */
};

/* The last lines of what a program printed, if it printed anything. */
void report_printed(const char *what, const char *text, size_t size, FILE *out);

void report_campaign_text(const struct campaign_report *r, FILE *out);

/* One failure, and the run that showed it first. */
void report_campaign_failure(const struct campaign_report *r, size_t n,
			     FILE *out);

/* The same as JSON; the caller owns it. */
json_t *report_campaign_failure_json(const struct failure *f, const char *name);

/* One JSON object, described in heddle-run(1). */
void report_campaign_json(const struct campaign_report *r, FILE *out);

#endif
