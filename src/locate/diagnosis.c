/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of bug a suspect is, if there is no program to ask: a guess by what
 * the pairs of runs show. The pair that closes a cycle with the suspect is
 * looked for in the failing run, at the same variable (three accesses, or four)
 * or at another one, and for both serial orders there must be a passing run
 * that shows it. Without any such cycle it is an order violation.
 *
 * Of several cycles those of one variable come first; then the one counts whose
 * accesses are nearest to each other in their threads. Where a thread died, a
 * cycle that ends with the last access of that thread comes before others: this
 * access has got the wrong value. Pairs of other variables are often just on
 * the way.
 */
#include "locate/diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "locate/table_row.h"

struct closing {
	struct pair_line other; /* the pair that closes it */
	bool is_single;
	bool is_last; /* it ends where a thread died */
	int row;
	uint64_t span;
};

typedef VEC(struct closing) closings;

struct looking {
	const struct gathered *g;
	const struct suspect *s;
	bool holds_reversed;
	struct positions at;
	uint32_t died; /* the thread; UINT32_MAX: none is known to have */
	uint32_t last; /* its last access */
};

/* ---- what an access does ---- */

static bool is_same_line(const struct pair_names *n, uint32_t a, uint32_t b)
{
	const struct pair_place *p = &n->places.at[a], *q = &n->places.at[b];

	return p->file && q->file && p->line == q->line &&
	       strcmp(p->file, q->file) == 0;
}

/* x += n reads and writes, and is one step for who wrote it. Where the read is
 * part of a pair, the write may be part of none, but in some run it is. */
static bool is_written_there(const struct gathered *g, const struct pair_run *r,
			     uint32_t place, uint64_t addr)
{
	for (size_t i = 0; i < r->pairs.count; i++) {
		const struct pair_line *p = &r->pairs.at[i];

		if (p->addr != addr && r->is_exact)
			continue;
		if ((p->head.kind == PAIR_WRITE &&
		     is_same_line(g->names, p->head.place, place)) ||
		    (p->tail.kind == PAIR_WRITE &&
		     is_same_line(g->names, p->tail.place, place)))
			return true;
	}
	return false;
}

static struct effect effect_of_kind(const struct pair_end *e)
{
	return (struct effect){ .reads = e->kind != PAIR_WRITE,
				.writes = e->kind != PAIR_READ };
}

static struct effect effect_of(const struct gathered *g,
			       const struct pair_end *e, uint64_t addr)
{
	struct effect d = effect_of_kind(e);

	if (d.writes)
		return d;
	d.writes = is_written_there(g, g->failing, e->place, addr);
	for (size_t i = 0; i < g->passing.count && !d.writes; i++)
		d.writes =
			is_written_there(g, g->passing.at[i], e->place, addr);
	return d;
}

/* ---- one variable ---- */

/* The pair leads back behind the suspect, or it has led here before it. */
static bool leads_back(const struct pair_line *q, const struct pair_line *s)
{
	return q->head.count >= s->tail.count && q->tail.count > s->head.count;
}

static bool leads_here(const struct pair_line *q, const struct pair_line *s)
{
	return q->tail.count <= s->head.count && q->head.count < s->tail.count;
}

static int row_of_one(const struct gathered *g, const struct pair_line *s,
		      const struct pair_line *q)
{
	struct effect head = effect_of(g, &s->head, s->addr);
	struct effect tail = effect_of(g, &s->tail, s->addr);

	if (leads_back(q, s))
		return row_of_single(head, tail,
				     effect_of(g, &q->tail, q->addr));
	if (leads_here(q, s))
		return row_of_single(effect_of(g, &q->head, q->addr), head,
				     tail);
	return 0;
}

/* ---- two variables ---- */

static struct steps steps_of(const struct looking *k, const struct pair_end *x,
			     uint64_t x_addr, const struct pair_end *y,
			     uint64_t y_addr)
{
	uint32_t x_at = position_of(&k->at, x, x_addr);
	uint32_t y_at = position_of(&k->at, y, y_addr);

	return (struct steps){
		.x = effect_of(k->g, x, x_addr),
		.y = effect_of(k->g, y, y_addr),
		.y_first = x_at != y_at ? y_at < x_at : y->count < x->count,
	};
}

static int row_of_two(const struct looking *k, const struct pair_line *x,
		      const struct pair_line *y)
{
	bool is_back = x->head.thread == y->tail.thread;
	const struct pair_end *with_head = is_back ? &y->tail : &y->head;
	const struct pair_end *with_tail = is_back ? &y->head : &y->tail;
	struct steps a = steps_of(k, &x->head, x->addr, with_head, y->addr);
	struct steps b = steps_of(k, &x->tail, x->addr, with_tail, y->addr);

	return row_of_steps(a, b);
}

/* ---- both serial orders ---- */

static bool is_between(const struct pair_line *p, uint16_t a, uint16_t b)
{
	return (p->head.thread == a && p->tail.thread == b) ||
	       (p->head.thread == b && p->tail.thread == a);
}

/* A part of a thread: accesses to one variable in one function. */
static bool is_of_part(const struct pair_names *n, uint32_t place,
		       const struct pair_end *e)
{
	const char *f = n->places.at[place].function;
	const char *g = n->places.at[e->place].function;

	return place == e->place || (f && g && strcmp(f, g) == 0);
}

/* Does a passing run come from the part of the one access right to the other?
 * Threads that run the same code may have changed their parts. Addresses mean
 * the same in runs under control only. */
static bool is_seen_before(const struct gathered *g, const struct pair_end *e,
			   const struct pair_end *then, uint64_t addr)
{
	for (size_t r = 0; r < g->passing.count; r++) {
		const struct pair_run *run = g->passing.at[r];

		for (size_t i = 0; i < run->pairs.count; i++) {
			const struct pair_line *p = &run->pairs.at[i];

			if (!is_between(p, e->thread, then->thread) ||
			    (p->addr != addr && run->is_exact))
				continue;
			if (p->head.place == e->place ||
			    (p->tail.place == then->place &&
			     is_of_part(g->names, p->head.place, e)))
				return true;
		}
	}
	return false;
}

/* The suspect leads from thread a to b, the other one back. */
static bool is_either_order_fine(const struct looking *k,
				 const struct pair_line *other)
{
	const struct pair_line *s = &k->s->pairs[0];
	bool a_first =
		is_seen_before(k->g, &other->tail, &other->head, other->addr) ||
		is_seen_before(k->g, &s->head, &s->tail, s->addr);
	bool b_first =
		k->holds_reversed ||
		is_seen_before(k->g, &s->tail, &s->head, s->addr) ||
		is_seen_before(k->g, &other->head, &other->tail, other->addr);

	return a_first && b_first;
}

/* ---- cycles ---- */

static struct closing closing_of(const struct looking *k,
				 const struct pair_line *other)
{
	const struct pair_line *s = &k->s->pairs[0];
	struct closing c = {
		.other = *other,
		.is_single = other->addr == s->addr,
		.span = position_span(&k->at, s, other),
		.is_last = other->tail.thread == k->died &&
			   other->tail.count == k->last,
	};

	c.row = c.is_single ? row_of_one(k->g, s, other) :
			      row_of_two(k, s, other);
	return c;
}

static int compare_closings(const void *a, const void *b)
{
	const struct closing *c = a, *d = b;

	if (c->is_single != d->is_single)
		return c->is_single ? -1 : 1;
	if (c->is_single && c->is_last != d->is_last)
		return c->is_last ? -1 : 1;
	if (c->span != d->span)
		return c->span < d->span ? -1 : 1;
	return (c->other.first > d->other.first) -
	       (c->other.first < d->other.first);
}

/* All cycles of the failing run, those of one variable first, best first. */
static void find_closings(const struct looking *k, closings *all)
{
	const struct pair_line *s = &k->s->pairs[0];
	const struct pair_run *f = k->g->failing;

	for (size_t i = 0; i < f->pairs.count; i++) {
		const struct pair_line *q = &f->pairs.at[i];
		struct closing c;

		if (q->head.thread != s->tail.thread ||
		    q->tail.thread != s->head.thread)
			continue;
		c = closing_of(k, q);
		if (c.row && is_either_order_fine(k, q))
			vec_push(all, c);
	}
	if (all->count)
		qsort(all->at, all->count, sizeof(*all->at), compare_closings);
}

static bool find_closing(const struct looking *k, struct closing *best)
{
	closings all = { 0 };
	bool any;

	find_closings(k, &all);
	any = all.count;
	if (any)
		*best = all.at[0];
	vec_free(&all);
	return any;
}

/* The failing run did not come to the third access: passing runs show what
 * the head's thread does there besides, after the head. */
static bool guess_closing(const struct looking *k, struct closing *best)
{
	const struct pair_line *s = &k->s->pairs[0];

	for (size_t r = 0; r < k->g->passing.count; r++) {
		const struct pair_run *run = k->g->passing.at[r];

		for (size_t i = 0; i < run->pairs.count; i++) {
			const struct pair_line *p = &run->pairs.at[i];
			struct pair_line back = pair_reversed(p);

			if (p->addr != s->addr ||
			    p->tail.thread != s->tail.thread ||
			    p->head.thread != s->head.thread ||
			    p->head.place == s->head.place)
				continue;
			best->row = row_of_single(
				effect_of(k->g, &s->head, s->addr),
				effect_of(k->g, &s->tail, s->addr),
				effect_of(k->g, &p->head, p->addr));
			best->is_single = true;
			best->other = back;
			if (best->row && is_either_order_fine(k, &back))
				return true;
		}
	}
	return false;
}

/* ---- the whole ---- */

/* Which thread died, if one did, and the last that is known of it. */
static void find_last(struct looking *k)
{
	const struct captured *c = k->g->failed;
	const struct pair_run *f = k->g->failing;
	char *path;

	k->died = UINT32_MAX;
	if (!c || c->run.outcome.kind == OUTCOME_EXIT ||
	    c->run.outcome.kind == OUTCOME_NONE)
		return;
	path = pair_thread_path(c->thread_table, c->thread_table_count,
				c->run.outcome.thread);
	k->died = pair_thread_number(k->g->names, path);
	free(path);
	for (size_t i = 0; i < f->pairs.count; i++) {
		const struct pair_line *p = &f->pairs.at[i];

		if (p->tail.thread == k->died && p->tail.count > k->last)
			k->last = p->tail.count;
		if (p->head.thread == k->died && p->head.count > k->last)
			k->last = p->head.count;
	}
}

static void diagnose_one(struct looking *k, struct diagnosis *d)
{
	struct closing c = { 0 };

	find_last(k);
	if (k->s->has_partner) {
		c = closing_of(k, &k->s->partner);
		d->has_other = true;
	} else {
		d->has_other = find_closing(k, &c) || guess_closing(k, &c);
	}
	if (!d->has_other) {
		d->kind = BUG_ORDER;
		d->row = row_of_order(effect_of_kind(&k->s->pairs[0].head),
				      effect_of_kind(&k->s->pairs[0].tail));
		return;
	}
	d->kind = c.is_single ? BUG_SINGLE : BUG_MULTI;
	d->row = c.row;
	d->other = c.other;
	d->is_before = !leads_back(&c.other, &k->s->pairs[0]);
}

static void find_positions(struct looking *k)
{
	const struct pair_run *f = k->g->failing;

	for (size_t i = 0; i < f->pairs.count; i++)
		position_see_pair(&k->at, &f->pairs.at[i]);
	for (size_t r = 0; r < k->g->passing.count; r++)
		for (size_t i = 0; i < k->g->passing.at[r]->pairs.count; i++)
			position_see_pair(&k->at,
					  &k->g->passing.at[r]->pairs.at[i]);
}

struct diagnosis diagnose(const struct gathered *g, const struct suspect *s,
			  bool holds_reversed)
{
	struct looking k = { .g = g, .s = s, .holds_reversed = holds_reversed };
	struct diagnosis d = { 0 };

	find_positions(&k);
	if (s->count == 1) {
		diagnose_one(&k, &d);
	} else {
		d.kind = BUG_MULTI;
		d.row = row_of_two(&k, &s->pairs[0], &s->pairs[1]);
	}
	keymap_done(&k.at.first);
	return d;
}
