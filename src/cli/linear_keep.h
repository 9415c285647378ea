/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_KEEP_H
#define HEDDLE_LINEAR_KEEP_H

/*
 * Findings of heddle linear as repros (store/repro.h). Besides what every repro
 * has, theirs has the files `spec` and `requests`: what was played around the
 * program, and how it is compared; and LINEAR_FILE, what was seen of it beside
 * the serial orders, for a report.
 */

#include "linear/linear_campaign.h"
#include "plan/plan.h"

#define LINEAR_FILE "linear.json"

/* Keeps each finding that is new; fills in its name, and its plan, described,
 * in plans[] (as many as there are findings). */
MUST_USE int linear_keep(const struct linear_options *o,
			 struct linear_result *result, const char *store,
			 const char *strategy, struct plan **plans,
			 struct err *err);

#endif
