/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/cycle.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 250 }; /* shared accesses on either side */

static struct effect effect_of(const struct deed *d)
{
	return (struct effect){ .reads = d->reads, .writes = d->writes };
}

/* ---- rows ---- */

/* x++ reads and writes, one right after the other, and is one step for who
 * wrote it: what is on one line of the source, if that is known. */
static bool is_one_step(const struct pair_names *n, const struct deed *a,
			const struct deed *b)
{
	const struct pair_place *p = &n->places.at[a->place];
	const struct pair_place *q = &n->places.at[b->place];

	return b->count == a->count + 1 && b->is_next == a->is_next &&
	       deed_meets(a, b) && p->file && q->file && p->line == q->line &&
	       strcmp(p->file, q->file) == 0;
}

static struct effect effect_at(const struct pair_names *n,
			       const struct deeds *d, int side, size_t at)
{
	const struct deed *deed = &d->by[side].at[at];
	struct effect e = effect_of(deed);

	if (at + 1 < d->by[side].count && is_one_step(n, deed, deed + 1))
		e.writes |= deed[1].writes;
	return e;
}

/* A deed of the cycle, and what it does together with the next. */
struct taker {
	const struct deed *deed;
	struct effect whole;
};

/* Of three deeds of two threads in their order, the middle one of the other.
 * What is behind the last belongs to it. */
static int row_of_three(const struct taker *a, const struct taker *b,
			const struct taker *c)
{
	if (a->deed->thread != c->deed->thread ||
	    a->deed->thread == b->deed->thread)
		return 0;
	return row_of_single(effect_of(a->deed), effect_of(b->deed), c->whole);
}

static bool is_before(const struct deed *a, const struct deed *b)
{
	if (a->thread == b->thread)
		return a->count < b->count;
	return a->when < b->when;
}

static struct taker taker_of(const struct pair_names *n, const struct deeds *d,
			     int side, size_t at)
{
	return (struct taker){ .deed = &d->by[side].at[at],
			       .whole = effect_at(n, d, side, at) };
}

/* Three of the four: what one thread does, and the other between. */
static int row_at_one(const struct pair_names *n, const struct deeds *d,
		      const size_t there[2], const size_t back[2])
{
	const struct taker four[4] = { taker_of(n, d, 0, there[0]),
				       taker_of(n, d, 1, there[1]),
				       taker_of(n, d, 0, back[0]),
				       taker_of(n, d, 1, back[1]) };
	int row = 0;

	for (int i = 0; i < 64 && !row; i++) {
		const struct taker *x = &four[i >> 4], *y = &four[i >> 2 & 3],
				   *z = &four[i & 3];

		if (is_before(x->deed, y->deed) && is_before(y->deed, z->deed))
			row = row_of_three(x, y, z);
	}
	return row;
}

static int row_at_two(const struct pair_names *n, const struct deeds *d,
		      const struct cycle *c, const size_t there[2],
		      const size_t back[2])
{
	struct steps by[2];

	for (int i = 0; i < 2; i++)
		by[i] = (struct steps){
			.x = effect_at(n, d, i, there[i]),
			.y = effect_at(n, d, i, back[i]),
			.y_first = c->back[i].count < c->there[i].count,
		};
	return row_of_steps(by[0], by[1]);
}

/* ---- ways back ---- */

static uint32_t apart(uint64_t a, uint64_t b)
{
	return (uint32_t)(a > b ? a - b : b - a);
}

static void region_set(struct cycle *c, int side, size_t a, size_t b)
{
	c->low[side] = a < b ? a : b;
	c->high[side] = a < b ? b : a;
	c->apart += apart(c->there[side].count, c->back[side].count);
}

static bool is_at_one(const struct cycle *c)
{
	return deed_meets(&c->there[0], &c->back[0]) &&
	       deed_meets(&c->there[1], &c->back[1]);
}

static bool cycle_make(const struct pair_names *n, const struct deeds *d,
		       size_t from, size_t to, size_t back_to, size_t back_from,
		       struct cycle *c)
{
	const struct deed *first = &d->by[1].at[back_from];
	const struct deed *then = &d->by[0].at[back_to];
	const size_t there[2] = { from, to }, back[2] = { back_to, back_from };

	if (first->when >= then->when || !deeds_conflict(first, then))
		return false;
	*c = (struct cycle){ .there = { d->by[0].at[from], d->by[1].at[to] },
			     .back = { *then, *first } };
	for (int i = 0; i < 2; i++) {
		c->there_does[i] = effect_at(n, d, i, there[i]);
		c->back_does[i] = effect_at(n, d, i, back[i]);
	}
	region_set(c, 0, from, back_to);
	region_set(c, 1, to, back_from);
	c->is_single = is_at_one(c);
	c->row = c->is_single ? row_at_one(n, d, there, back) :
				row_at_two(n, d, c, there, back);
	return c->row || !c->is_single;
}

static size_t longer_of(const struct cycle *c)
{
	size_t one = c->high[0] - c->low[0], two = c->high[1] - c->low[1];

	return one > two ? one : two;
}

static int compare(const void *a, const void *b)
{
	const struct cycle *c = a, *d = b;

	if (c->apart != d->apart)
		return c->apart < d->apart ? -1 : 1;
	if (longer_of(c) != longer_of(d))
		return longer_of(c) < longer_of(d) ? -1 : 1;
	if (c->is_single != d->is_single)
		return c->is_single ? -1 : 1;
	return (c->back[0].when > d->back[0].when) -
	       (c->back[0].when < d->back[0].when);
}

static void keep_nearest(cycles *all)
{
	struct keymap seen = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct cycle *c = &all->at[i];
		uint32_t *known = keymap_at(
			&seen,
			(uint64_t)c->back[0].place << 32 | c->back[1].place,
			(uint64_t)c->there[0].place << 32 | c->there[1].place);

		if (*known)
			continue;
		*known = 1;
		all->at[kept++] = *c;
	}
	all->count = kept;
	keymap_done(&seen);
}

static size_t window_begin(size_t at)
{
	return at > WINDOW ? at - WINDOW : 0;
}

static size_t window_end(size_t at, size_t count)
{
	return at + WINDOW + 1 < count ? at + WINDOW + 1 : count;
}

void cycles_find(const struct pair_names *n, const struct deeds *d, size_t from,
		 size_t to, cycles *found)
{
	size_t mine = window_end(from, d->by[0].count);
	size_t others = window_end(to, d->by[1].count);
	struct cycle c;

	for (size_t i = window_begin(from); i < mine; i++)
		for (size_t k = window_begin(to); k < others; k++)
			if (cycle_make(n, d, from, to, i, k, &c))
				vec_push(found, c);
}

void cycles_sort(cycles *all)
{
	if (all->count)
		qsort(all->at, all->count, sizeof(*all->at), compare);
	keep_nearest(all);
}
