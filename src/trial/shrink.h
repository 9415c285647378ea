/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SHRINK_H
#define HEDDLE_SHRINK_H

/*
 * Shrinking: the fewest switches that still fail.
 *
 * A schedule is cut by leaving out switches that were not forced (a thread
 * that could have gone on then does), first many at once and then fewer, as
 * delta debugging does (Zeller and Hildebrandt). What is left is followed
 * loosely; if the run fails the same way, the schedule it really took is the
 * new plan, so the result is always a whole plan that replays strictly. No
 * single switch can be left out of the result, unless the budget was spent.
 */

#include "trial/follower.h"

/* Is this run the failure that is being shrunk? */
typedef bool shrink_same(const struct captured *run, void *arg);

struct shrink_result {
	struct plan *plan;	/* the caller frees */
	uint32_t before, after; /* switches */
	uint32_t runs;
	bool is_least; /* nothing more could be left out */
};

/* At most `runs` runs and `ms` milliseconds. Fails only when the program can
 * no longer be run. */
MUST_USE int shrink(struct follower *f, const struct plan *plan,
		    shrink_same *is_same, void *arg, uint32_t runs, uint64_t ms,
		    struct shrink_result *result, struct err *err);

#endif
