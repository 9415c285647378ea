/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CYCLE_H
#define HEDDLE_CYCLE_H

/*
 * Cycles of two threads. Two regions of two threads are not serializable when
 * one access of the first comes before a conflicting one of the second, and
 * elsewhere it is the other way round: then neither region was before the
 * other. Given is the *way there*, from a deed of thread 0 to one of thread 1;
 * a *way back* from a deed of thread 1 to one of thread 0 closes the cycle. The
 * region of a thread is what it does from one of its two deeds to the other.
 *
 * Finds: of every four places, the nearest cycle; nearest first, by the
 * accesses in both regions. Misses: cycles through a
 * third thread, and ways back further off than a window.
 */

#include "locate/deeds.h"
#include "locate/table_row.h"

struct cycle {
	struct deed there[2]; /* from thread 0 to thread 1 */
	struct deed back[2];  /* the deed of thread 0, to which it leads, and
				 that of thread 1 */
	/* What they do, together with what comes right behind: x++ is one. */
	struct effect there_does[2], back_does[2];
	bool is_single; /* both at the same bytes */
	int row;	/* of LOCON's Table 1; 0: not in it */
	uint64_t apart; /* accesses of the threads, in both regions */
	/* Where the regions are in deeds, by thread. */
	size_t low[2], high[2];
};

typedef VEC(struct cycle) cycles;

/* Adds all cycles of a way there, from deed `from` to deed `to`, of deeds that
 * were kept as shared. */
void cycles_find(const struct pair_names *n, const struct deeds *d, size_t from,
		 size_t to, cycles *found);

/* Puts them in order, and leaves out what is the same in another round of a
 * loop. */
void cycles_sort(cycles *all);

#endif
