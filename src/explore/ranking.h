/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RANKING_H
#define HEDDLE_RANKING_H

/*
 * Which of many comes first, where ranks only ever fall: a heap by the rank
 * that was last known of each. The first of it is true when its rank is what it
 * was; otherwise it is lowered, and the first is looked at again. So what has
 * fallen below others costs nothing until it would be its turn.
 *
 * Entries are numbers of the caller's; of equal ranks the lowest number is
 * first.
 */

#include "base/vec.h"

#include <stdint.h>

struct ranked {
	uint32_t rank, number;
};

struct ranking {
	VEC(struct ranked) heap;
};

void ranking_done(struct ranking *r);

/* `rank` is the highest that the entry can have. */
void ranking_add(struct ranking *r, uint32_t number, uint32_t rank);

/* The first, as last known, until the next change; NULL: there is none. */
static inline const struct ranked *ranking_first(const struct ranking *r)
{
	return r->heap.count ? r->heap.at : NULL;
}

/* The rank of the first is this by now. */
void ranking_lower(struct ranking *r, uint32_t rank);

void ranking_drop(struct ranking *r);

#endif
