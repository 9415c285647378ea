/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXPOSE_INNER_H
#define HEDDLE_EXPOSE_INNER_H

/*
 * What the files of the engine share: expose.c decides what is tried next,
 * expose_pass.c tries it, expose_bug.c makes a failure into a repro.
 */

#include "expose/expose.h"

struct expose {
	const struct expose_options *o;
	struct expose_result *r;
	struct plan *plan; /* modules of the rules */
	double began;
	uint64_t seed;	 /* of the next run */
	uint64_t run_ms; /* what the observed run took, at least 1 */
};

/* One campaign over candidates. */
struct pass {
	VEC(size_t) which; /* candidates, by number */
	bool is_free;
	uint32_t window;
	uint64_t runs; /* 0: until time is up */
	uint64_t ms;
	uint32_t flags; /* enum force_flag */
	uint32_t noise_chance, noise_us;
};

double expose_now(void);
uint64_t expose_left_ms(const struct expose *e);

/* Fills a plan with the rules of the candidates; the caller frees. */
struct plan *pass_plan(const struct expose *e, const struct pass *p);

struct campaign_options pass_options(const struct expose *e,
				     const struct pass *p,
				     const struct plan *plan);

/* Makes the runs, adds tallies and failures to the result. */
MUST_USE int pass_run(struct expose *e, const struct pass *p, struct err *err);
void pass_done(struct pass *p);

/* A run of the pass has failed. Takes the verdict over. */
MUST_USE int bug_found(struct expose *e, const struct pass *p,
		       const struct failure *f, struct err *err);

#endif
