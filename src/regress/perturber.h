/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PERTURBER_H
#define HEDDLE_PERTURBER_H

/*
 * Active testing by perturbing: runs of a program that go freely on all
 * processors, as those of a user do, in which whoever comes to an event of a
 * signature too early is held for a moment (format/force.h). It is what
 * Algorithm 1 of Tsui, Wu and Chan does in its line 17. A hunt under control
 * (hunter.h) is surer and replays exactly; a perturbed run shows what happens
 * on the real machine, several threads at a time.
 *
 * A rule names single sites. An event that is like one of the signature may
 * happen at several, so every choice of sites is a rule of its own, up to a
 * limit. One run has the rules of all signatures: only one thread is held at a
 * time, and most rules find nobody to hold. Call stacks are not asked for.
 *
 * A perturber has a worker of its own beside the hunter's; the code map is the
 * hunter's.
 */

#include "regress/hunter.h"
#include "trial/callsites.h"

struct perturber {
	struct again again; /* perturbed */
	bool is_open;
	bool is_ready;	      /* started; else there is nothing to perturb */
	struct code_map *map; /* borrowed */
	struct callsites calls;
	double seconds; /* in runs, without judging */
};

/* The same program as `a`, which is started and has this map. A program that
 * cannot be perturbed leaves a perturber that is not ready: no error.
 * perturber_done in any case. */
void perturber_init(struct perturber *p, const struct again *a,
		    const char *store, struct code_map *map);
void perturber_done(struct perturber *p);

/* One run by all signatures, each with its setting. Returns 0, with run->plan
 * and everything else of the run, and in *which the signature that came
 * furthest; or 1 when there was nothing to hold anybody at, and no run was
 * made. hunt_run_done in case of 0. */
MUST_USE int perturber_run(struct perturber *p, const struct signatures *s,
			   const struct hunt_setting *sets, uint64_t seed,
			   uint32_t *which, struct hunt_run *run,
			   struct err *err);

/* The kept failure itself, if it was kept by rules. */
MUST_USE struct captured *perturber_replay(struct perturber *p,
					   struct err *err);

#endif
