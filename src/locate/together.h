/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TOGETHER_H
#define HEDDLE_TOGETHER_H

/*
 * Do two pairs show up together in a run, at a level? At the level of threads
 * one must lead from a thread to another and the other back, as in every
 * multi-variable violation. At the level of loops, moreover, the two accesses
 * of each thread must be in the same iteration, where both are in the same
 * loop: programmers make an iteration atomic, or the whole loop, but nothing
 * across iterations.
 *
 * A run is indexed once; a question costs a look-up for each occurrence of the
 * rarer pair.
 */

#include "locate/spectrum.h"

struct together {
	const struct spectrum_instance *instances; /* sorted by pair, owned */
	size_t count;
	uint32_t *from; /* by pair: its first instance; pairs + 1 of them */
	struct keymap keys;
	enum level level;
};

/* `instances` stay the caller's. */
void together_init(struct together *t, const struct spectrum_instance *all,
		   size_t count, size_t pairs, enum level level);
void together_done(struct together *t);

/* The occurrences that show it are given back, if wanted. */
bool together_has(struct together *t, uint32_t i, uint32_t j,
		  const struct spectrum_instance **of_i,
		  const struct spectrum_instance **of_j);

/* The definition, for two occurrences. */
bool together_is(const struct spectrum_instance *x,
		 const struct spectrum_instance *y, enum level level);

#endif
