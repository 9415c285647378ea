/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ANALYSIS_H
#define HEDDLE_ANALYSIS_H

/*
 * One pass over a trace, through all analyses that are wanted. What each one
 * finds, misses and gets wrong stands in its own header: happens.h, lockset.h,
 * race.h, lockcycle.h, summary.h, suppress.h.
 *
 * To add an analysis: its file, a field of the result, a line in each of
 * pass_new, pass_event and pass_end.
 */

#include "analysis/finding.h"
#include "analysis/suppress.h"
#include "analysis/wakeup.h"
#include "base/err.h"
#include "trace/site.h"
#include "trace/trace.h"

struct analysis_options {
	bool races;
	bool lockcycles;
	bool wakeups;
	bool summary;
	bool exact; /* the order of events is the order of operations
		       (HAPPENS_EXACT): not so in observe mode */
	/* Findings these name are left out and counted; NULL: none. They need
	 * `sites` to see names; NULL: the analysis makes its own. */
	struct suppressions *suppress;
	struct sites *sites;
};

struct analysis_result {
	struct race_finding *races;
	size_t race_count;
	size_t races_suppressed;
	struct lockcycle_finding *lockcycles;
	size_t lockcycle_count;
	size_t lockcycles_suppressed;
	bool lockcycles_were_cut; /* there may be more */
	struct wakeup_finding *wakeups;
	size_t wakeup_count;
	struct run_summary summary;
};

/* Reads the trace from its beginning to its end. The result does not refer to
 * the trace, but its stacks and threads are numbers of it. NULL when nothing
 * was asked for. */
MUST_USE struct analysis_result *analyse(struct trace *t,
					 const struct analysis_options *options,
					 struct err *err);
void analysis_free(struct analysis_result *r);

#endif
