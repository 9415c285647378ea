/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_LINEAR_H
#define HEDDLE_REPORT_LINEAR_H

/*
 * What came of heddle linear, for people and for programs: each finding with
 * its requests, which serial replies and states it matched (the columns of the
 * paper's Table 2), its kind on the paper's two axes, and how to see it again.
 */

#include "format/verdict.h"
#include "linear/linear_campaign.h"
#include "plan/plan.h"

#include <jansson.h>
#include <stdio.h>

struct linear_report {
	const struct linear_result *result;
	const struct linear_options *options;
	const char *store;   /* NULL: the one that is looked in anyway */
	struct plan **plans; /* of each finding, described; or NULL */
	size_t repeated;     /* inputs left out, being known */
	bool is_colourful;
	size_t width; /* of the terminal; 0: lines may be long */
};

enum exit_status report_linear_status(const struct linear_result *r);

void report_linear_text(const struct linear_report *r, FILE *out);

/* ---- report_linear_json.c ---- */

/* One JSON object, described in heddle-linear(1). */
void report_linear_json(const struct linear_report *r, FILE *out);

/* A finding of it, as it is kept beside its failure too. */
json_t *report_linear_finding(const struct linear_options *o,
			      const struct linear_result *result,
			      const struct linear_finding *f);

/* Sums that both tell. */
uint64_t linear_flagged_inputs(const struct linear_result *r);
uint64_t linear_varied_inputs(const struct linear_result *r);
uint64_t linear_executions(const struct linear_result *r);

#endif
