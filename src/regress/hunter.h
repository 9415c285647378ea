/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HUNTER_H
#define HEDDLE_HUNTER_H

/*
 * Runs of a program in which the guest hunts for a sequence of events like a
 * signature (format/hunt.h, runtime/strategy_hunt.c). What is similar is said
 * anew for each run.
 *
 * The first runs have a point at every access and learn which sites share
 * memory; later ones have their points there, and wherever the hunt looks.
 */

#include "regress/code_map.h"
#include "regress/signature.h"
#include "regress/similar.h"
#include "store/again.h"

/* How far from the signature an event may be. */
struct hunt_width {
	uint32_t by; /* enum similar_by */
	uint32_t w;
	uint32_t d;
};

struct hunt_setting {
	struct hunt_width widths[HUNT_EVENTS];
	uint32_t flags; /* enum hunt_flag */
	uint32_t pass, noise;
	uint64_t seed;
};

/* How a run went. */
struct hunt_run {
	struct hunt_report report;
	double seconds;		   /* without judging */
	const char *identity;	   /* of what broke; NULL: nothing */
	struct captured *captured; /* then, unless the hunter is brief */
	struct verdict verdict;	   /* and */
	struct plan *plan;	   /* of rules; NULL: it was under control */
};

/* Finding out what broke costs more than a hundred runs, and most failures are
 * the same few again. */
struct hunt_known {
	uint64_t key;	/* oracle_key */
	char *identity; /* NULL: it was not broken */
};

struct hunter {
	struct again *again; /* started */
	struct code_map *map;
	bool is_brief;	/* set by the owner: identities are enough */
	uint32_t runs;	/* made so far */
	double seconds; /* in them, without judging */
	VEC(struct hunt_known) known;
	struct places marked[HUNT_EVENTS];
};

/* Seconds of a clock that only goes on. */
double hunt_now(void);

/* hunter_done in any case. */
MUST_USE int hunter_init(struct hunter *h, struct again *a, struct err *err);
void hunter_done(struct hunter *h);

/* hunt_run_done in case of success. A run that could not be judged (unknown)
 * counts as one in which nothing broke. */
MUST_USE int hunter_run(struct hunter *h, const struct signature *s,
			const struct hunt_setting *set, struct hunt_run *run,
			struct err *err);
void hunt_run_done(struct hunt_run *run);

#endif
