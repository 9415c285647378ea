/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_POSITION_H
#define HEDDLE_POSITION_H

/*
 * Where in its thread an access stands, whatever the round of a loop: the
 * earliest moment at which the thread was seen to do it, in any run. A pair
 * tells of its first occurrence, so the moments of two pairs may be of
 * different rounds; positions say which of two accesses of a thread comes first
 * in the program, and how near they are.
 */

#include "locate/pair_run.h"

struct positions {
	struct keymap first; /* moment + 1 */
};

static inline uint64_t position_key(const struct pair_end *e)
{
	return (uint64_t)e->place << 16 | e->thread;
}

static inline void position_see(struct positions *p, const struct pair_end *e,
				uint64_t addr)
{
	uint32_t *at = keymap_at(&p->first, position_key(e), addr);

	if (!*at || e->count + 1 < *at)
		*at = e->count + 1;
}

static inline void position_see_pair(struct positions *p,
				     const struct pair_line *l)
{
	position_see(p, &l->head, l->addr);
	position_see(p, &l->tail, l->addr);
}

static inline uint32_t position_of(const struct positions *p,
				   const struct pair_end *e, uint64_t addr)
{
	return keymap_find(&p->first, position_key(e), addr);
}

static inline uint32_t position_apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* How far apart are the accesses of each thread, that of the one pair and that
 * of the other, which is between the same threads? */
static inline uint64_t position_span(const struct positions *at,
				     const struct pair_line *p,
				     const struct pair_line *q)
{
	bool is_back = p->head.thread == q->tail.thread;
	const struct pair_end *with_head = is_back ? &q->tail : &q->head;
	const struct pair_end *with_tail = is_back ? &q->head : &q->tail;

	return (uint64_t)position_apart(position_of(at, &p->head, p->addr),
					position_of(at, with_head, q->addr)) +
	       position_apart(position_of(at, &p->tail, p->addr),
			      position_of(at, with_tail, q->addr));
}

#endif
