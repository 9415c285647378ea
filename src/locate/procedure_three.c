/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "locate/suspect.h"
#include "locate/together.h"

/*
 * Couples are looked for among the pairs that the failing run shares with
 * passing ones. Most are settled by their rows alone: no run in common, or,
 * at the level of pc, one. Otherwise the runs they have in common are asked one
 * by one, until one shows both together.
 */

enum {
	COUPLES_MOST = 20000, /* that are compared with each other */
};

struct couple {
	uint32_t i, j;
	struct pair_line pairs[2];
	bool is_out;
};

struct pairing_up {
	struct spectrum *s;
	enum level level;
	VEC(uint32_t) both; /* pairs of the failing run and of passing ones */
	struct together failing;
	VEC(struct together) passing;
	VEC(struct couple) couples;
	bool is_cut;
};

static void index_runs(struct pairing_up *p)
{
	struct spectrum *s = p->s;

	together_init(&p->failing, s->failing_instances.at,
		      s->failing_instances.count, s->pairs.count, p->level);
	for (size_t r = 0; p->level > LEVEL_PC && r < s->runs.count; r++) {
		struct together t;

		together_init(&t, s->runs.at[r].instances.at,
			      s->runs.at[r].instances.count, s->pairs.count,
			      p->level);
		vec_push(&p->passing, t);
	}
}

static bool is_of_same_threads(const struct pair_line *a,
			       const struct pair_line *b)
{
	return (a->head.thread == b->head.thread &&
		a->tail.thread == b->tail.thread) ||
	       (a->head.thread == b->tail.thread &&
		a->tail.thread == b->head.thread);
}

/* Does a passing run have both, together? */
static bool is_known(struct pairing_up *p, uint32_t i, uint32_t j)
{
	const uint64_t *a = spectrum_row(p->s, i), *b = spectrum_row(p->s, j);

	for (size_t w = 0; w < p->s->words; w++) {
		uint64_t common = a[w] & b[w];

		if (common && p->level == LEVEL_PC)
			return true;
		for (; common; common &= common - 1) {
			size_t r = w * 64 + (size_t)__builtin_ctzll(common);

			if (together_has(&p->passing.at[r], i, j, NULL, NULL))
				return true;
		}
	}
	return false;
}

/* The pair as it was at this occurrence. */
static struct pair_line line_at(const struct spectrum *s,
				const struct spectrum_instance *x)
{
	struct pair_line line = s->pairs.at[x->pair].line;

	line.head.thread = x->head_thread;
	line.head.count = x->head_count;
	line.head.began = x->head_began;
	line.tail.thread = x->tail_thread;
	line.tail.count = x->tail_count;
	line.tail.began = x->tail_began;
	return line;
}

static void look_at(struct pairing_up *p, uint32_t i, uint32_t j)
{
	const struct spectrum_pair *a = &p->s->pairs.at[i];
	const struct spectrum_pair *b = &p->s->pairs.at[j];
	const struct spectrum_instance *x = NULL, *y = NULL;
	struct couple c = { .i = i, .j = j };

	if (a->line.addr == b->line.addr)
		return;
	if (p->level == LEVEL_PC && !is_of_same_threads(&a->line, &b->line))
		return;
	if (!together_has(&p->failing, i, j, &x, &y) || is_known(p, i, j))
		return;
	if (p->couples.count == COUPLES_MOST) {
		p->is_cut = true;
		return;
	}
	c.pairs[0] = p->level == LEVEL_PC ? a->line : line_at(p->s, x);
	c.pairs[1] = p->level == LEVEL_PC ? b->line : line_at(p->s, y);
	vec_push(&p->couples, c);
}

/* ---- order, predictors ---- */

static uint64_t done_at(const struct couple *c)
{
	return c->pairs[0].first > c->pairs[1].first ? c->pairs[0].first :
						       c->pairs[1].first;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* How far apart, in their threads, are the accesses that should have been
 * together? */
static uint64_t span(const struct couple *c)
{
	const struct pair_line *p = &c->pairs[0], *q = &c->pairs[1];

	if (p->head.thread == q->tail.thread)
		return (uint64_t)apart(p->head.count, q->tail.count) +
		       apart(p->tail.count, q->head.count);
	return (uint64_t)apart(p->head.count, q->head.count) +
	       apart(p->tail.count, q->tail.count);
}

static int compare_couples(const void *a, const void *b)
{
	const struct couple *c = a, *d = b;

	if (span(c) != span(d))
		return span(c) < span(d) ? -1 : 1;
	if (done_at(c) != done_at(d))
		return done_at(c) < done_at(d) ? -1 : 1;
	if (c->i != d->i)
		return c->i < d->i ? -1 : 1;
	return (c->j > d->j) - (c->j < d->j);
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

void procedure_three(struct spectrum *s, enum level level,
		     struct suspects *found)
{
	struct pairing_up p = { .s = s, .level = level };

	for (size_t i = 0; i < s->failing.count; i++)
		if (s->pairs.at[s->failing.at[i]].passes)
			vec_push(&p.both, s->failing.at[i]);
	index_runs(&p);
	for (size_t i = 0; i < p.both.count && !p.is_cut; i++)
		for (size_t j = i + 1; j < p.both.count && !p.is_cut; j++)
			look_at(&p, p.both.at[i], p.both.at[j]);
	if (p.couples.count)
		qsort(p.couples.at, p.couples.count, sizeof(*p.couples.at),
		      compare_couples);
	drop_predictors(&p);
	give(&p, found);
	together_done(&p.failing);
	for (size_t r = 0; r < p.passing.count; r++)
		together_done(&p.passing.at[r]);
	vec_free(&p.passing);
	vec_free(&p.both);
	vec_free(&p.couples);
}
