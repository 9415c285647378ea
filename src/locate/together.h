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
 * All runs are indexed at once. Occurrences of a pair that agree in what the
 * level looks at, but for the iteration, are a group, and a row of bits says in
 * which runs it has some. Two groups that do not share a loop are together in
 * every run that both are in, which is one operation on words; for the others
 * the iterations are looked up, in the runs that both are in.
 */

#include "locate/spectrum.h"

/* An occurrence, as far as the level looks at it. */
struct together_one {
	uint32_t pair;
	uint32_t threads, loops; /* of head << 16 and tail */
	uint32_t run;
	uint32_t head_began, tail_began;
	uint32_t source; /* number in its run */
};

struct together_group {
	uint32_t threads, loops;
	uint32_t from, to; /* occurrences */
};

struct together {
	enum level level;
	size_t pairs;		      /* numbers are below */
	size_t words;		      /* of a row */
	VEC(struct together_one) all; /* by pair, group, run, head, tail */
	VEC(uint32_t) by_tail;	      /* the same, but tail before head */
	VEC(struct together_group) groups;
	VEC(uint64_t) rows; /* of groups */
	uint32_t *first;    /* by pair: its first group; pairs + 1 of them */
};

/* There are pairs and runs with numbers below these. */
void together_init(struct together *t, enum level level, size_t pairs,
		   size_t runs);

/* Adds what a run has; the occurrences of pairs for which `wanted`, if it is
 * there, is false are left out. */
void together_add(struct together *t, const struct spectrum_instance *all,
		  size_t count, uint32_t run, const bool *wanted);

/* Everything is added; from now on there can be questions. */
void together_seal(struct together *t);
void together_done(struct together *t);

/* Does some run show both? The occurrences that show it are given back, by
 * their number in their run, if they are wanted. */
bool together_has(const struct together *t, uint32_t i, uint32_t j,
		  uint32_t *of_i, uint32_t *of_j);

/* Threads of a group, the other way round. */
static inline uint32_t together_turned(uint32_t threads)
{
	return threads << 16 | threads >> 16;
}

/* The definition, for two occurrences. */
bool together_is(const struct spectrum_instance *x,
		 const struct spectrum_instance *y, enum level level);

#endif
