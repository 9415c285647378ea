/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of bug a suspect is. Accesses of two threads are not serializable
 * when one pair leads from the first thread to the second and another one back:
 * a cycle. So the pair that closes a cycle with the suspect is looked for in
 * the failing run, at the same variable (three accesses, or four) or at another
 * one.
 *
 * That alone does not make an atomicity violation: where one thread must come
 * first, a wrong order closes cycles too. An atomicity violation allows both
 * serial orders. So for each of them there must be a passing run that shows it,
 * or the program is run so and holds. Without any such cycle it is an order
 * violation.
 *
 * Of several cycles the one counts whose accesses are nearest to each other in
 * their threads. Where a thread died, a cycle of one variable that ends with
 * the last access of that thread comes before others of that variable: this
 * access has got the wrong value. Pairs of other variables are often just on
 * the way. So where the program can be run, they count only if it holds in both
 * serial orders of the four accesses; where it cannot, only if there is no
 * cycle of one variable.
 *
 * The rows are those of LOCON's Table 1.
 */
#include "locate/diagnosis.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 6 }; /* pairs of other variables */

struct cycle {
	struct pair_line other; /* the pair that closes it */
	bool is_single;
	bool is_last; /* it ends where a thread died */
	bool is_seen; /* passing runs show both serial orders */
	int row;
	uint64_t span;
};

typedef VEC(struct cycle) cycles;

struct looking {
	const struct gathered *g;
	const struct suspect *s;
	const struct diagnosis_ask *ask;
	struct positions at;
	uint32_t died; /* the thread; UINT32_MAX: none is known to have */
	uint32_t last; /* its last access */
};

/* ---- what an access does ---- */

struct deed {
	bool reads, writes;
};

static bool is_same_line(const struct pair_names *n, uint32_t a, uint32_t b)
{
	const struct pair_place *p = &n->places.at[a], *q = &n->places.at[b];

	return p->file && q->file && p->line == q->line &&
	       strcmp(p->file, q->file) == 0;
}

/* x += n reads and writes, and is one step for who wrote it. Where the read is
 * part of a pair, the write may be part of none, but in some run it is. */
static bool is_written_there(const struct gathered *g, const struct pair_run *r,
			     uint32_t place)
{
	for (size_t i = 0; i < r->pairs.count; i++) {
		const struct pair_line *p = &r->pairs.at[i];

		if ((p->head.kind == PAIR_WRITE &&
		     is_same_line(g->names, p->head.place, place)) ||
		    (p->tail.kind == PAIR_WRITE &&
		     is_same_line(g->names, p->tail.place, place)))
			return true;
	}
	return false;
}

static struct deed deed_of(const struct gathered *g, const struct pair_end *e)
{
	struct deed d = { .reads = e->kind != PAIR_WRITE,
			  .writes = e->kind != PAIR_READ };

	if (e->kind != PAIR_READ)
		return d;
	d.writes = is_written_there(g, g->failing, e->place);
	for (size_t i = 0; i < g->passing.count && !d.writes; i++)
		d.writes = is_written_there(g, g->passing.at[i], e->place);
	return d;
}

/* ---- one variable ---- */

/* What does both is taken as a read that others spoil, then as a write that
 * spoils. W W W is serializable. */
static int single_row(struct deed a, struct deed b, struct deed c)
{
	if (b.writes && a.reads)
		return c.writes ? 5 : 6;
	if (b.writes && a.writes && c.reads)
		return 4;
	return b.reads && a.writes && c.writes ? 7 : 0;
}

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
	struct deed head = deed_of(g, &s->head), tail = deed_of(g, &s->tail);

	if (leads_back(q, s))
		return single_row(head, tail, deed_of(g, &q->tail));
	if (leads_here(q, s))
		return single_row(deed_of(g, &q->head), head, tail);
	return 0;
}

/* ---- two variables ---- */

/* What a thread does to x, and then to y. */
struct steps {
	bool writes_x, writes_y;
	bool y_first;
};

static int multi_row(struct steps a, struct steps b)
{
	static const int rows[2][2][2] = {
		/* b: [writes x][writes y][y first], a writes both */
		[0][0] = { 10, 13 },
		[1][0] = { 11, 14 },
		[1][1] = { 12, 15 },
	};

	if (a.y_first)
		return 0;
	if (a.writes_x && a.writes_y)
		return rows[b.writes_x][b.writes_y][b.y_first];
	if (!a.writes_x && a.writes_y && b.writes_x && !b.writes_y)
		return b.y_first ? 9 : 8;
	return 0;
}

static struct steps steps_of(const struct looking *k, const struct pair_end *x,
			     uint64_t x_addr, const struct pair_end *y,
			     uint64_t y_addr)
{
	uint32_t x_at = position_of(&k->at, x, x_addr);
	uint32_t y_at = position_of(&k->at, y, y_addr);

	return (struct steps){
		.writes_x = deed_of(k->g, x).writes,
		.writes_y = deed_of(k->g, y).writes,
		.y_first = x_at != y_at ? y_at < x_at : y->count < x->count,
	};
}

static struct steps swapped(struct steps s)
{
	return (struct steps){ .writes_x = s.writes_y,
			       .writes_y = s.writes_x,
			       .y_first = !s.y_first };
}

/* Which variable is x, and which thread is the first, is ours to choose. */
static int row_of_steps(struct steps a, struct steps b)
{
	int row = 0;

	for (int i = 0; i < 4 && !row; i++) {
		struct steps p = i & 1 ? swapped(a) : a;
		struct steps q = i & 1 ? swapped(b) : b;

		row = i & 2 ? multi_row(q, p) : multi_row(p, q);
	}
	return row;
}

/* What reads and writes counts as a write, unless that is none of the rows. */
static int row_of_two(const struct looking *k, const struct pair_line *x,
		      const struct pair_line *y)
{
	bool is_back = x->head.thread == y->tail.thread;
	const struct pair_end *with_head = is_back ? &y->tail : &y->head;
	const struct pair_end *with_tail = is_back ? &y->head : &y->tail;
	struct steps a = steps_of(k, &x->head, x->addr, with_head, y->addr);
	struct steps b = steps_of(k, &x->tail, x->addr, with_tail, y->addr);
	int row = row_of_steps(a, b);

	if (row)
		return row;
	a.writes_x = pair_is_write(x->head.kind);
	a.writes_y = pair_is_write(with_head->kind);
	b.writes_x = pair_is_write(x->tail.kind);
	b.writes_y = pair_is_write(with_tail->kind);
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
		k->ask->holds_reversed ||
		is_seen_before(k->g, &s->tail, &s->head, s->addr) ||
		is_seen_before(k->g, &other->head, &other->tail, other->addr);

	return a_first && b_first;
}

/* ---- cycles ---- */

static struct cycle cycle_of(const struct looking *k,
			     const struct pair_line *other)
{
	const struct pair_line *s = &k->s->pairs[0];
	struct cycle c = {
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

static int compare_cycles(const void *a, const void *b)
{
	const struct cycle *c = a, *d = b;

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
static void find_cycles(const struct looking *k, cycles *all)
{
	const struct pair_line *s = &k->s->pairs[0];
	const struct pair_run *f = k->g->failing;

	for (size_t i = 0; i < f->pairs.count; i++) {
		const struct pair_line *q = &f->pairs.at[i];
		struct cycle c;

		if (q->head.thread != s->tail.thread ||
		    q->tail.thread != s->head.thread)
			continue;
		c = cycle_of(k, q);
		c.is_seen = is_either_order_fine(k, q);
		if (c.row && (c.is_seen || c.is_single))
			vec_push(all, c);
	}
	if (all->count)
		qsort(all->at, all->count, sizeof(*all->at), compare_cycles);
}

/* An order that must not be: the thread of x did all of its part first. */
static struct pair_line order_of(const struct pair_end *x1,
				 const struct pair_end *x2,
				 const struct pair_end *y1,
				 const struct pair_end *y2)
{
	return (struct pair_line){ .head = x1->count < x2->count ? *x1 : *x2,
				   .tail = y1->count < y2->count ? *y2 : *y1 };
}

/* Does the program hold if either thread does its part before the other? */
static bool is_serial_fine(const struct looking *k, const struct cycle *c)
{
	const struct pair_line *s = &k->s->pairs[0], *o = &c->other;
	struct pair_line first =
		order_of(&s->head, &o->tail, &s->tail, &o->head);
	struct pair_line second =
		order_of(&s->tail, &o->head, &s->head, &o->tail);

	return k->ask->holds(k->ask->of, &first) &&
	       k->ask->holds(k->ask->of, &second);
}

/* The best one of this kind; NULL: none is known. Pairs of one variable need no
 * experiment if passing runs have shown enough. */
static const struct cycle *find_kind(const struct looking *k, const cycles *all,
				     bool is_single)
{
	int asked = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct cycle *c = &all->at[i];

		if (c->is_single != is_single)
			continue;
		if (c->is_seen && (is_single || !k->ask->holds))
			return c;
		if (k->ask->holds && asked++ < ASKED_MOST &&
		    is_serial_fine(k, c))
			return c;
	}
	return NULL;
}

static bool find_cycle(const struct looking *k, struct cycle *best)
{
	const struct cycle *single, *c;
	cycles all = { 0 };

	find_cycles(k, &all);
	single = find_kind(k, &all, true);
	c = find_kind(k, &all, false);
	if (single && (!c || !k->ask->holds || single->span < c->span))
		c = single;
	if (c)
		*best = *c;
	vec_free(&all);
	return c;
}

/* The failing run did not come to the third access: passing runs show what
 * the head's thread does there besides, after the head. */
static bool guess_cycle(const struct looking *k, struct cycle *best)
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
			best->row = single_row(deed_of(k->g, &s->head),
					       deed_of(k->g, &s->tail),
					       deed_of(k->g, &p->head));
			best->is_single = true;
			best->other = back;
			if (best->row && is_either_order_fine(k, &back))
				return true;
		}
	}
	return false;
}

static int order_row(const struct pair_line *s)
{
	if (!pair_is_write(s->head.kind))
		return 2;
	return pair_is_write(s->tail.kind) ? 3 : 1;
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
	struct cycle c = { 0 };

	find_last(k);
	if (k->s->has_partner) {
		c = cycle_of(k, &k->s->partner);
		d->has_other = true;
	} else {
		d->has_other = find_cycle(k, &c) || guess_cycle(k, &c);
	}
	if (!d->has_other) {
		d->kind = BUG_ORDER;
		d->row = order_row(&k->s->pairs[0]);
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
			  const struct diagnosis_ask *ask)
{
	struct looking k = { .g = g, .s = s, .ask = ask };
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
