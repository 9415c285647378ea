/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/unserial_inner.h"

/* The time between the sections that keep R out. */
static void open_time(const struct unserial *u, const struct touch_pair *pair,
		      const struct touch_class *k, uint64_t *from, uint64_t *to)
{
	const struct sections *all = &u->sections;
	const struct section_list *p = sections_in(all, pair->p->sections);
	const struct section_list *c = sections_in(all, pair->c->sections);

	*from = pair->p->stamp;
	*to = pair->c->stamp;
	for (uint32_t i = 0; k->set && i < p->count; i++) {
		const struct section *s = section_at(all, p, i);

		if (s->end > *from && section_excludes(all, s, k->set))
			*from = s->end;
	}
	for (uint32_t i = 0; k->set && i < c->count; i++) {
		const struct section *s = section_at(all, c, i);

		if (s->begin < *to && section_excludes(all, s, k->set))
			*to = s->begin;
	}
	if (*from > *to)
		*from = *to;
}

/* How far R was from the time, at least. */
static uint64_t distance_of(const struct unserial *u,
			    const struct touch_class *k, struct touch_window w,
			    uint64_t from, uint64_t to)
{
	size_t low = w.low, high = w.high;
	uint64_t least = UINT64_MAX, stamp;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (touch_at(u, k->touches.at[middle])->stamp < from)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > w.low)
		least = from - touch_at(u, k->touches.at[low - 1])->stamp;
	if (low == w.high)
		return least;
	stamp = touch_at(u, k->touches.at[low])->stamp;
	if (stamp <= to)
		return 0;
	return stamp - to < least ? stamp - to : least;
}

/* What the pair has added to the candidate so far. An access of several
 * granules is met in each of them, and its time counts once. Its touches follow
 * each other, so that the number of the first is its own. */
static uint64_t *counted(struct unserial *u, const struct unserial_candidate *f,
			 const struct touch_pair *pair)
{
	uint64_t number = (uint64_t)(f - u->found.at);
	uint64_t p = pair->p_number - pair->p->part;
	uint64_t c = pair->c_number - pair->c->part;
	uint32_t *n;

	if (!pair->p->is_wide || !pair->c->is_wide)
		return &u->tallies.at[number].gap;
	n = keymap_at(&u->wide, p << 32 | c, number);
	if (!*n) {
		vec_push(&u->gaps, 0);
		*n = (uint32_t)u->gaps.count;
	}
	return &u->gaps.at[*n - 1];
}

void unserial_gap(struct unserial *u, struct unserial_candidate *f,
		  const struct touch_pair *pair, const struct touch_class *k,
		  struct touch_window w)
{
	uint64_t from, to, distance, *gap = counted(u, f, pair);

	open_time(u, pair, k, &from, &to);
	if (to - from > *gap) {
		f->gap += to - from - *gap;
		*gap = to - from;
	}
	distance = distance_of(u, k, w, from, to);
	if (distance < f->distance)
		f->distance = distance;
}
