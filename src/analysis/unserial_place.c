/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "analysis/unserial_inner.h"

/*
 * The candidates of one granule. All its touches are sorted by thread; those
 * of a thread that are alike (one site, one kind, one lock set) are a class.
 * Of a class, the touches that are not ordered before P are a tail, and those
 * that are not ordered after C are a head, since a thread's clocks only grow:
 * so the ones that could come between are a window, found by two searches,
 * however long the run.
 */

/* ---- gathering ---- */

/* What was told afterwards comes first in its segment. */
static int compare_touches(const void *a, const void *b, void *self)
{
	const struct touch *all = self;
	uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
	const struct touch *s = &all[m], *t = &all[n];

	if (s->thread != t->thread)
		return s->thread < t->thread ? -1 : 1;
	if (s->segment != t->segment)
		return s->segment < t->segment ? -1 : 1;
	if (s->is_earlier != t->is_earlier)
		return s->is_earlier ? -1 : 1;
	return m < n ? -1 : m > n;
}

/* Whether two threads were there. */
static bool gather(struct unserial *u, uint32_t last)
{
	uint32_t thread = touch_at(u, last)->thread;
	bool is_shared = false;

	u->gathered.count = 0;
	for (uint32_t n = last; n; n = touch_at(u, n)->before) {
		is_shared |= touch_at(u, n)->thread != thread;
		vec_push(&u->gathered, n);
	}
	return is_shared;
}

static bool is_alike(const struct touch *a, const struct touch *b)
{
	return a->thread == b->thread && a->site == b->site &&
	       a->mask == b->mask && a->effects == b->effects &&
	       a->is_earlier == b->is_earlier && a->is_fresh == b->is_fresh;
}

static struct touch_class *new_class(struct unserial *u, const struct touch *t,
				     uint32_t set)
{
	struct touch_class *k;

	if (u->class_count == u->classes.count)
		vec_push(&u->classes, (struct touch_class){ 0 });
	k = &u->classes.at[u->class_count++];
	k->example = t;
	k->set = set;
	k->touches.count = 0;
	return k;
}

/* Touches come sorted by thread: the classes of others are all before. */
static struct touch_class *class_of(struct unserial *u, const struct touch *t)
{
	uint32_t set = sections_in(&u->sections, t->sections)->set;

	for (size_t i = u->class_count; i-- > 0;) {
		struct touch_class *k = &u->classes.at[i];

		if (k->example->thread != t->thread)
			break;
		if (k->set == set && is_alike(k->example, t))
			return k;
	}
	return new_class(u, t, set);
}

static void count_shared(struct unserial *u, uint32_t thread)
{
	while (u->shared.count <= thread)
		vec_push(&u->shared, 0);
	u->shared.at[thread]++;
}

static void classify(struct unserial *u)
{
	u->class_count = 0;
	for (size_t i = 0; i < u->gathered.count; i++) {
		const struct touch *t = touch_at(u, u->gathered.at[i]);
		struct touch_class *k = class_of(u, t);

		vec_push(&k->touches, u->gathered.at[i]);
		count_shared(u, t->thread);
	}
}

/* ---- what could come between ---- */

/* Index of the first touch that is not ordered before P. */
static size_t first_possible(const struct unserial *u,
			     const struct touch_class *k, const struct touch *p,
			     unsigned int order)
{
	uint64_t over =
		vclock_get(touch_clock(u, p, order), k->example->thread);
	size_t low = 0, high = k->touches.count;

	if (touch_at(u, k->touches.at[0])->segment >= over)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (touch_at(u, k->touches.at[middle])->segment < over)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_after(const struct unserial *u, uint32_t r,
		     const struct touch *c, unsigned int order)
{
	return vclock_get(touch_clock(u, touch_at(u, r), order), c->thread) >
	       c->segment;
}

/* Index of the first touch that is ordered after C. */
static size_t first_late(const struct unserial *u, const struct touch_class *k,
			 const struct touch *c, unsigned int order)
{
	size_t low = 0, high = k->touches.count;

	if (!is_after(u, k->touches.at[high - 1], c, order))
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_after(u, k->touches.at[middle], c, order))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct touch_window window_of(const struct unserial *u,
				     const struct touch_class *k,
				     const struct touch_pair *pair,
				     unsigned int order)
{
	return (struct touch_window){
		.low = first_possible(u, k, pair->p, order),
		.high = first_late(u, k, pair->c, order),
	};
}

static bool is_in(const struct unserial *u, const struct section *s,
		  uint32_t list)
{
	const struct section_list *l = sections_in(&u->sections, list);

	for (uint32_t i = 0; i < l->count; i++)
		if (section_at(&u->sections, l, i) == s)
			return true;
	return false;
}

/* The section of both P and C that keeps the class out, or NULL. */
static const struct section *protector(const struct unserial *u,
				       const struct touch_pair *pair,
				       const struct touch_class *k)
{
	const struct section_list *l =
		sections_in(&u->sections, pair->p->sections);

	for (uint32_t i = 0; k->set && i < l->count; i++) {
		const struct section *s = section_at(&u->sections, l, i);

		if (is_in(u, s, pair->c->sections) &&
		    section_excludes(&u->sections, s, k->set))
			return s;
	}
	return NULL;
}

/* Did one of the window come between in this run? Nobody knows the time of
 * what was told afterwards. */
static bool was_exercised(const struct touch_pair *pair,
			  const struct touch_class *k, struct touch_window w)
{
	size_t low = w.low, high = w.high;

	if (pair->p->is_earlier || pair->c->is_earlier ||
	    k->example->is_earlier)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->touches.at[middle] < pair->p_number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w.high && k->touches.at[low] < pair->c_number;
}

/* ---- candidates ---- */

/* A read-modify-write leaves a value as a write does, is disturbed by a write
 * as an update is, and disturbs as either. */
static int pattern_of(unsigned int p, unsigned int r, unsigned int c)
{
	if (r & TOUCH_WRITES && c & TOUCH_READS && p & TOUCH_WRITES)
		return UNSERIAL_WWR;
	if (r & TOUCH_WRITES && !(p & TOUCH_WRITES))
		return c & TOUCH_WRITES ? UNSERIAL_RWW : UNSERIAL_RWR;
	if (r & TOUCH_READS && p & TOUCH_WRITES && c & TOUCH_WRITES)
		return UNSERIAL_WRW;
	return -1;
}

static struct unserial_side side_of(const struct touch *t)
{
	return (struct unserial_side){ .site = t->site,
				       .stack = t->stack,
				       .thread = t->thread };
}

static struct location locate(const struct unserial *u, uint64_t addr)
{
	if (u->in.where)
		return location_find(u->in.where, addr);
	return (struct location){ .kind = LOCATION_UNKNOWN, .offset = addr };
}

/* The outermost section of `t` that `but` is not in (0: all count), if one of
 * them keeps out who has the set of locks: where it is entered. */
static uint32_t gate_of(const struct unserial *u, const struct touch *t,
			uint32_t but, uint32_t set)
{
	const struct section_list *l = sections_in(&u->sections, t->sections);
	uint32_t stack = NO_STACK;

	if (t->is_earlier || !set)
		return 0;
	for (uint32_t i = l->count; i-- > 0;) {
		const struct section *s = section_at(&u->sections, l, i);

		if (is_in(u, s, but))
			break;
		if (stack || section_excludes(&u->sections, s, set))
			stack = s->stack;
	}
	if (!stack)
		return 0;
	return u->in.site_of ? u->in.site_of(u->in.self, stack) : stack;
}

static void set_gates(const struct unserial *u, struct unserial_candidate *f,
		      const struct touch_pair *pair, const struct touch *r)
{
	const struct sections *all = &u->sections;

	f->c.gate = gate_of(u, pair->c, pair->p->sections,
			    sections_in(all, r->sections)->set);
	f->r.gate = gate_of(u, r, 0, sections_in(all, pair->p->sections)->set);
	/* C would wait for a section that R is in. */
	if (!f->r.gate)
		f->r.gate = gate_of(u, r, 0,
				    sections_in(all, pair->c->sections)->set);
}

static void set_example(const struct unserial *u, struct unserial_candidate *f,
			const struct touch_pair *pair, const struct touch *r)
{
	f->p = side_of(pair->p);
	f->c = side_of(pair->c);
	f->r = side_of(r);
	set_gates(u, f, pair, r);
	f->addr = u->addr + (unsigned int)__builtin_ctz(pair->mask &
							(unsigned int)r->mask);
	f->where = locate(u, f->addr);
}

static uint32_t pair_number(struct unserial *u, const struct touch_pair *pair)
{
	uint32_t *n = keymap_at(&u->by_sites, pair->p->site, pair->c->site);

	if (!*n)
		*n = ++u->pair_count;
	return *n;
}

static struct unserial_candidate *candidate_at(struct unserial *u,
					       const struct touch_pair *pair,
					       uint32_t number,
					       const struct touch *r,
					       unsigned int pattern)
{
	uint32_t *n = keymap_at(&u->by_remote, (uint64_t)number << 2 | pattern,
				r->site);

	if (!*n) {
		vec_push(&u->found,
			 (struct unserial_candidate){ .pattern = pattern,
						      .distance = UINT64_MAX });
		vec_push(&u->tallies, (struct unserial_tally){ 0 });
		*n = (uint32_t)u->found.count;
		set_example(u, &u->found.at[*n - 1], pair, r);
	}
	return &u->found.at[*n - 1];
}

/* Nobody else can have been there. */
static bool is_fresh(const struct touch_pair *pair, const struct touch_class *k)
{
	return pair->c->is_fresh || k->example->is_fresh;
}

static void prune(struct unserial *u, struct unserial_candidate *f,
		  const struct touch_pair *pair, const struct touch_class *k,
		  struct touch_window w, const struct section *s)
{
	if (f->why != UNSERIAL_FEASIBLE || f->instances)
		return;
	if (is_fresh(pair, k))
		f->why = UNSERIAL_FRESH;
	else if (w.low == k->touches.count)
		f->why = UNSERIAL_BEFORE;
	else if (w.low >= w.high)
		f->why = UNSERIAL_AFTER;
	else
		f->why = UNSERIAL_LOCKED;
	if (f->why == UNSERIAL_LOCKED)
		f->lock = lock_tell(u->locks, s->lock, s->is_read, NO_STACK);
}

/* Several classes may be one candidate to a pair: other threads at the same
 * site, or with other locks. The widest time of them counts. */
static struct unserial_tally *tally_of(struct unserial *u,
				       struct unserial_candidate *f)
{
	struct unserial_tally *t = &u->tallies.at[f - u->found.at];

	if (t->pair != u->pair) {
		*t = (struct unserial_tally){ .pair = u->pair };
		f->pairs++;
	}
	return t;
}

static void count_once(bool is_so, bool *was_so, uint64_t *count)
{
	*count += is_so && !*was_so;
	*was_so |= is_so;
}

/* Which kind of synchronisation alone would have done it. */
static uint8_t keepers_of(const struct unserial *u, const struct touch_class *k,
			  const struct touch_pair *pair)
{
	uint8_t keepers = 0;

	for (unsigned int i = 0; i < UNSERIAL_KEEPERS; i++) {
		struct touch_window w = window_of(u, k, pair, ORDER_KINDS + i);

		if (w.low >= w.high)
			keepers |= (uint8_t)(1u << i);
	}
	return keepers;
}

static void add_instance(struct unserial *u, struct unserial_candidate *f,
			 const struct touch_pair *pair,
			 const struct touch_class *k, struct touch_window w)
{
	struct touch_window likely = window_of(u, k, pair, ORDER_LIKELY);
	struct unserial_tally *t = tally_of(u, f);

	if (!f->instances)
		set_example(u, f, pair, touch_at(u, k->touches.at[w.low]));
	f->why = UNSERIAL_FEASIBLE;
	unserial_gap(u, f, pair, k, w);
	if (likely.low >= likely.high)
		f->keepers |= keepers_of(u, k, pair);
	count_once(true, &t->is_feasible, &f->instances);
	count_once(was_exercised(pair, k, w), &t->is_exercised, &f->exercised);
	count_once(likely.low < likely.high, &t->is_loose, &f->loose);
}

static void consider(struct unserial *u, const struct touch_pair *pair,
		     uint32_t number, const struct touch_class *k,
		     unsigned int pattern)
{
	struct touch_window w = window_of(u, k, pair, ORDER_SURE);
	const struct section *s = protector(u, pair, k);
	struct unserial_candidate *f =
		candidate_at(u, pair, number, k->example, pattern);

	tally_of(u, f);
	if (w.low < w.high && !s && !is_fresh(pair, k))
		add_instance(u, f, pair, k, w);
	else
		prune(u, f, pair, k, w, s);
}

/* ---- pairs ---- */

static void match(struct unserial *u, const struct touch_pair *pair)
{
	uint32_t number = pair_number(u, pair);
	bool has_remote = false;

	u->pair++;
	for (size_t i = 0; i < u->class_count; i++) {
		const struct touch_class *k = &u->classes.at[i];
		int pattern;

		if (k->example->thread == pair->c->thread ||
		    !(k->example->mask & pair->mask))
			continue;
		has_remote = true;
		u->pi += (double)k->touches.count;
		pattern = pattern_of(pair->p->effects, k->example->effects,
				     pair->c->effects);
		if (pattern >= 0)
			consider(u, pair, number, k, (unsigned int)pattern);
	}
	u->ui += has_remote;
}

/* For each byte of C, P is who was there last; mostly one for all. */
static void match_all(struct unserial *u, uint32_t *last, uint32_t number)
{
	const struct touch *c = touch_at(u, number);
	uint8_t left = c->mask;

	for (unsigned int i = 0; i < GRANULE_BYTES; i++) {
		struct touch_pair pair = { .p_number = last[i],
					   .c_number = number,
					   .c = c };

		if (!(left & 1u << i) || !last[i])
			continue;
		for (unsigned int j = i; j < GRANULE_BYTES; j++)
			if (last[j] == last[i])
				pair.mask |= (uint8_t)(1u << j);
		pair.mask &= left;
		left &= (uint8_t)~pair.mask;
		pair.p = touch_at(u, last[i]);
		match(u, &pair);
	}
	for (unsigned int i = 0; i < GRANULE_BYTES; i++)
		if (c->mask & 1u << i)
			last[i] = number;
}

/* Somebody was there while the block was thought to be unknown: by an address
 * that was not written, or to a block that was there before. */
static void check_fresh(struct unserial *u)
{
	uint32_t owner = NO_THREAD, others = UINT32_MAX, last = 0;

	for (size_t i = 0; i < u->gathered.count; i++)
		if (touch_at(u, u->gathered.at[i])->is_fresh) {
			owner = touch_at(u, u->gathered.at[i])->thread;
			last = u->gathered.at[i] > last ? u->gathered.at[i] :
							  last;
		}
	for (size_t i = 0; i < u->gathered.count; i++)
		if (touch_at(u, u->gathered.at[i])->thread != owner &&
		    u->gathered.at[i] < others)
			others = u->gathered.at[i];
	for (size_t i = 0; others < last && i < u->gathered.count; i++)
		u->touches.at[u->gathered.at[i]].is_fresh = false;
}

static void note_sites(struct unserial *u)
{
	for (size_t i = 0; i < u->gathered.count; i++) {
		uint32_t site = touch_at(u, u->gathered.at[i])->site;
		uint32_t *n = keymap_at(&u->shared_sites, site, 0);

		if (!*n)
			vec_push(&u->shared_site_list, site);
		*n = 1;
	}
}

void unserial_place(struct unserial *u, uint64_t addr, uint32_t first)
{
	uint32_t last[GRANULE_BYTES], thread = NO_THREAD;

	if (!gather(u, first))
		return;
	u->addr = addr;
	note_sites(u);
	check_fresh(u);
	qsort_r(u->gathered.at, u->gathered.count, sizeof(*u->gathered.at),
		compare_touches, u->touches.at);
	classify(u);
	for (size_t i = 0; i < u->gathered.count; i++) {
		uint32_t n = u->gathered.at[i];

		if (touch_at(u, n)->thread != thread)
			memset(last, 0, sizeof(last));
		thread = touch_at(u, n)->thread;
		match_all(u, last, n);
	}
}
