/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FOLLOWER_H
#define HEDDLE_FOLLOWER_H

/*
 * A follower runs a program as plans say: for replaying, and for shrinking. It
 * is a worker that is given a plan before each run.
 */

#include "trial/captured.h"
#include "trial/worker.h"

struct follower {
	struct worker worker;
	struct control_ask ask; /* limits; the rest is set for each run */
	uint32_t flags;		/* that every run has */
	bool is_other;		/* the program was built anew since the plan */
};

/* `ask` gives the limits of a run, and CONTROL_RECORD if it is wanted. The
 * program is on processor `cpu`. */
MUST_USE int follower_start(struct follower *f, const struct launch *launch,
			    const struct control_ask *ask, int cpu,
			    struct err *err);

/* One run that follows the plan: strictly, so that it ends as diverged where
 * the plan does not fit; or loosely (control.h). The caller frees what was
 * captured. */
MUST_USE struct captured *follower_run(struct follower *f,
				       const struct plan *plan, bool is_loose,
				       struct err *err);

/* The same, strictly, with its events: the trace is closed by the caller. */
MUST_USE struct captured *follower_record(struct follower *f,
					  const struct plan *plan,
					  struct trace **trace,
					  struct err *err);

/* Afterwards the region has the modules that the program loads. */
MUST_USE int follower_know_modules(struct follower *f, struct err *err);

/* A run in which rules of order hold (format/order_rule.h) besides the plan,
 * which is followed loosely; how each rule fared is written back. */
MUST_USE struct captured *follower_run_by_rules(struct follower *f,
						const struct plan *plan,
						struct order_rule *rules,
						uint32_t count,
						struct err *err);

/* A run that does not follow the plan, but knows what the plan knows of the
 * program's sites: how->strategy, depth, length and seed say how it goes, and
 * how->flags what is wanted besides. */
MUST_USE struct captured *follower_wander(struct follower *f,
					  const struct plan *plan,
					  const struct control_ask *how,
					  struct err *err);

/* Prepares the shared memory for a run that somebody else starts, a debugger:
 * with HEDDLE_TRIAL as `trial` in its environment (the caller frees it), the
 * program then follows the plan. The follower must be fresh. */
MUST_USE int follower_lend(struct follower *f, const struct plan *plan,
			   char **trial, struct err *err);

void follower_stop(struct follower *f);

#endif
