/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "locate/suspect.h"
#include "locate/together.h"

/*
 * Couples are looked for among the pairs that the failing run shares with
 * passing ones: for each, among those that lead back between the same two
 * threads. The index (together.h) says whether the failing run has both
 * together, and whether a passing one has.
 */

enum {
	COUPLES_MOST = 20000, /* that are compared with each other */
};

struct couple {
	uint32_t i, j;
	struct pair_line pairs[2];
	uint64_t span;
	bool is_out;
};

/* A pair leads between two threads, somewhere in the failing run. */
struct lead {
	uint32_t threads, pair;
};

struct pairing_up {
	const struct spectrum *s;
	enum level level;
	bool *wanted;		/* in the failing run and in passing ones */
	uint32_t *met;		/* by pair: with whom last, + 1 */
	VEC(struct lead) leads; /* by threads, then by first occurrence */
	struct together failing, passing;
	VEC(struct couple) couples;
	bool is_cut;
};

/* ---- looking for couples ---- */

static int compare_leads(const void *a, const void *b)
{
	const struct lead *x = a, *y = b;

	if (x->threads != y->threads)
		return x->threads < y->threads ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

/* At the level of pc who leads where does not matter. */
static void find_leads(struct pairing_up *p)
{
	const struct together *t = &p->failing;

	for (uint32_t i = 0; i < t->pairs; i++)
		for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++)
			vec_push(&p->leads,
				 (struct lead){ t->groups.at[k].threads, i });
	if (p->leads.count)
		qsort(p->leads.at, p->leads.count, sizeof(*p->leads.at),
		      compare_leads);
}

static void index_runs(struct pairing_up *p)
{
	const struct spectrum *s = p->s;

	together_init(&p->failing, p->level, s->pairs.count, 1);
	together_add(&p->failing, s->failing_instances.at,
		     s->failing_instances.count, 0, p->wanted);
	together_seal(&p->failing);
	together_init(&p->passing, p->level, s->pairs.count, s->runs.count);
	for (size_t r = 0; r < s->runs.count; r++)
		together_add(&p->passing, s->runs.at[r].instances.at,
			     s->runs.at[r].instances.count, (uint32_t)r,
			     p->wanted);
	together_seal(&p->passing);
	find_leads(p);
}

static bool is_of_same_threads(const struct pair_line *a,
			       const struct pair_line *b)
{
	return (a->head.thread == b->head.thread &&
		a->tail.thread == b->tail.thread) ||
	       (a->head.thread == b->tail.thread &&
		a->tail.thread == b->head.thread);
}

/* The pair as it was at this occurrence. */
static struct pair_line line_at(const struct spectrum *s, uint32_t source)
{
	const struct spectrum_instance *x = &s->failing_instances.at[source];
	struct pair_line line = s->pairs.at[x->pair].line;

	line.head.thread = x->head_thread;
	line.head.count = x->head_count;
	line.head.began = x->head_began;
	line.tail.thread = x->tail_thread;
	line.tail.count = x->tail_count;
	line.tail.began = x->tail_began;
	return line;
}

static void keep_best(struct pairing_up *p);

static void look_at(struct pairing_up *p, uint32_t i, uint32_t j)
{
	const struct pair_line *a = &p->s->pairs.at[i].line;
	const struct pair_line *b = &p->s->pairs.at[j].line;
	struct couple c = { .i = i, .j = j };
	uint32_t x, y;

	if (a->addr == b->addr)
		return;
	if (p->level == LEVEL_PC && !is_of_same_threads(a, b))
		return;
	if (!together_has(&p->failing, i, j, &x, &y) ||
	    together_has(&p->passing, i, j, NULL, NULL))
		return;
	c.pairs[0] = p->level == LEVEL_PC ? *a : line_at(p->s, x);
	c.pairs[1] = p->level == LEVEL_PC ? *b : line_at(p->s, y);
	c.span = position_span(&p->s->positions, &c.pairs[0], &c.pairs[1]);
	vec_push(&p->couples, c);
	if (p->couples.count == 2 * COUPLES_MOST)
		keep_best(p);
}

/* All later pairs that lead back from where this one leads. */
static void look_back(struct pairing_up *p, uint32_t i, uint32_t threads)
{
	size_t low = 0, high = p->leads.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct lead *l = &p->leads.at[mid];

		if (l->threads < threads ||
		    (l->threads == threads && l->pair <= i))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < p->leads.count && p->leads.at[low].threads == threads;
	     low++) {
		uint32_t j = p->leads.at[low].pair;

		if (p->met[j] == i + 1)
			continue;
		p->met[j] = i + 1;
		look_at(p, i, j);
	}
}

static void look_for_all(struct pairing_up *p)
{
	const struct together *t = &p->failing;

	for (uint32_t i = 0; i < t->pairs; i++)
		for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++)
			look_back(p, i,
				  together_turned(t->groups.at[k].threads));
}

/* ---- order, predictors ---- */

static uint64_t done_at(const struct couple *c)
{
	return c->pairs[0].first > c->pairs[1].first ? c->pairs[0].first :
						       c->pairs[1].first;
}

static int compare_couples(const void *a, const void *b)
{
	const struct couple *c = a, *d = b;

	if (c->span != d->span)
		return c->span < d->span ? -1 : 1;
	if (done_at(c) != done_at(d))
		return done_at(c) < done_at(d) ? -1 : 1;
	if (c->i != d->i)
		return c->i < d->i ? -1 : 1;
	return (c->j > d->j) - (c->j < d->j);
}

static void sort_couples(struct pairing_up *p)
{
	if (p->couples.count)
		qsort(p->couples.at, p->couples.count, sizeof(*p->couples.at),
		      compare_couples);
}

static void keep_best(struct pairing_up *p)
{
	sort_couples(p);
	if (p->couples.count > COUPLES_MOST) {
		p->couples.count = COUPLES_MOST;
		p->is_cut = true;
	}
}

/* Is a pair of c predictable by one of d? */
static bool is_implied(const struct couple *c, const struct couple *d)
{
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++)
			if (pair_is_predictable(&c->pairs[a], &d->pairs[b]))
				return true;
	return false;
}

static void drop_predictors(struct pairing_up *p)
{
	struct couple *c = p->couples.at;
	size_t n = p->couples.count;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n && !c[i].is_out; j++) {
			if (c[j].is_out)
				continue;
			if (is_implied(&c[i], &c[j]))
				c[j].is_out = true;
			else if (is_implied(&c[j], &c[i]))
				c[i].is_out = true;
		}
}

static void give(struct pairing_up *p, struct suspects *found)
{
	for (size_t i = 0; i < p->couples.count; i++) {
		const struct couple *c = &p->couples.at[i];
		int late = c->pairs[0].first > c->pairs[1].first;

		if (!c->is_out)
			vec_push(&found->all,
				 (struct suspect){
					 .procedure = PROCEDURE_III,
					 .level = p->level,
					 .count = 2,
					 .pairs = { c->pairs[late],
						    c->pairs[!late] } });
	}
	found->is_cut |= p->is_cut;
}

void procedure_three(const struct spectrum *s, enum level level,
		     struct suspects *found)
{
	struct pairing_up p = { .s = s, .level = level };

	p.wanted = xcalloc(s->pairs.count + 1, sizeof(*p.wanted));
	p.met = xcalloc(s->pairs.count + 1, sizeof(*p.met));
	for (size_t i = 0; i < s->failing.count; i++)
		p.wanted[s->failing.at[i]] =
			s->pairs.at[s->failing.at[i]].passes;
	index_runs(&p);
	look_for_all(&p);
	keep_best(&p);
	drop_predictors(&p);
	give(&p, found);
	together_done(&p.failing);
	together_done(&p.passing);
	vec_free(&p.leads);
	vec_free(&p.couples);
	free(p.wanted);
	free(p.met);
}
