/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_GATHER_H
#define HEDDLE_GATHER_H

/*
 * Runs to compare: the failing run of a kept failure, replayed, and passing
 * runs of the same program with the same input. Passing runs come from
 * strategies under control, whose pairs are exact, and from free runs, native
 * and with random delays. They are made until the set of pairs is saturated:
 * the last few runs brought nothing new.
 */

#include "locate/pair_run.h"
#include "plan/plan.h"
#include "store/again.h"

struct gather_options {
	uint32_t most;	  /* passing runs */
	uint32_t native;  /* of these free ones, at most */
	uint32_t delayed; /* and with random delays */
	uint64_t time_ms; /* for all of it */
	uint64_t seed;
};

struct gathered {
	struct code_loops loops; /* of the program */
	struct pair_names *names;
	struct pair_run *failing;
	struct captured *failed; /* the run itself */
	uint64_t failed_ms;	 /* what it took */
	VEC(struct pair_run *) passing;
	VEC(struct plan *) plans; /* of each passing run; NULL: it was free */
	VEC(size_t) new_pairs;	  /* that each passing run brought */
	uint32_t native, delayed; /* of the passing ones */
	uint32_t tried;		  /* runs made, those that failed included */
	bool is_saturated;
};

void gathered_done(struct gathered *g);

/* Milliseconds of a clock that only goes on, for deadlines. */
uint64_t locate_now_ms(void);

/* Replays the failure. -1 when it does not fail, or fails in another way. */
MUST_USE int gather_failing(struct again *a, struct gathered *g,
			    struct err *err);

/* -1 when no run passes. */
MUST_USE int gather_passing(struct again *a, const struct gather_options *o,
			    struct gathered *g, struct err *err);

#endif
