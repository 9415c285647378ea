/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/together.h"

#include <stdlib.h>

static bool is_same_iteration(uint16_t loop, uint32_t began, uint16_t loop2,
			      uint32_t began2)
{
	return !loop || loop != loop2 || began == began2;
}

bool together_is(const struct spectrum_instance *x,
		 const struct spectrum_instance *y, enum level level)
{
	if (level == LEVEL_PC)
		return true;
	if (x->head_thread != y->tail_thread ||
	    x->tail_thread != y->head_thread)
		return false;
	if (level == LEVEL_THREAD)
		return true;
	return is_same_iteration(x->head_loop, x->head_began, y->tail_loop,
				 y->tail_began) &&
	       is_same_iteration(x->tail_loop, x->tail_began, y->head_loop,
				 y->head_began);
}

/* ---- the index ---- */

void together_init(struct together *t, enum level level, size_t pairs,
		   size_t runs)
{
	*t = (struct together){ .level = level,
				.pairs = pairs,
				.words = runs / 64 + 1,
				.first =
					xcalloc(pairs + 1, sizeof(*t->first)) };
}

void together_done(struct together *t)
{
	vec_free(&t->all);
	vec_free(&t->by_tail);
	vec_free(&t->groups);
	vec_free(&t->rows);
	free(t->first);
}

/* What the level does not look at is the same for all. */
static struct together_one one_of(const struct together *t,
				  const struct spectrum_instance *x,
				  uint32_t run, uint32_t source)
{
	struct together_one o = { .pair = x->pair,
				  .run = run,
				  .source = source };

	if (t->level >= LEVEL_THREAD)
		o.threads = (uint32_t)x->head_thread << 16 | x->tail_thread;
	if (t->level >= LEVEL_LOOP) {
		o.loops = (uint32_t)x->head_loop << 16 | x->tail_loop;
		o.head_began = x->head_began;
		o.tail_began = x->tail_began;
	}
	return o;
}

void together_add(struct together *t, const struct spectrum_instance *all,
		  size_t count, uint32_t run, const bool *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (!wanted || wanted[all[i].pair])
			vec_push(&t->all, one_of(t, &all[i], run, (uint32_t)i));
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_runs(const struct together_one *x,
			const struct together_one *y)
{
	int c = compare_numbers(x->pair, y->pair);

	c = c ? c : compare_numbers(x->threads, y->threads);
	c = c ? c : compare_numbers(x->loops, y->loops);
	return c ? c : compare_numbers(x->run, y->run);
}

static int compare(const void *a, const void *b)
{
	const struct together_one *x = a, *y = b;
	int c = compare_runs(x, y);

	c = c ? c : compare_numbers(x->head_began, y->head_began);
	c = c ? c : compare_numbers(x->tail_began, y->tail_began);
	return c ? c : compare_numbers(x->source, y->source);
}

static int compare_by_tail(const void *a, const void *b, void *all)
{
	const struct together_one *x =
		(const struct together_one *)all + *(const uint32_t *)a;
	const struct together_one *y =
		(const struct together_one *)all + *(const uint32_t *)b;
	int c = compare_runs(x, y);

	c = c ? c : compare_numbers(x->tail_began, y->tail_began);
	return c ? c : compare_numbers(x->source, y->source);
}

static bool is_same_group(const struct together_one *x,
			  const struct together_one *y)
{
	return x->pair == y->pair && x->threads == y->threads &&
	       x->loops == y->loops;
}

static void group(struct together *t, uint32_t from, uint32_t to)
{
	const struct together_one *x = &t->all.at[from];
	size_t row = t->rows.count;

	for (size_t w = 0; w < t->words; w++)
		vec_push(&t->rows, 0);
	for (uint32_t i = from; i < to; i++)
		t->rows.at[row + t->all.at[i].run / 64] |=
			UINT64_C(1) << t->all.at[i].run % 64;
	vec_push(&t->groups, (struct together_group){ .threads = x->threads,
						      .loops = x->loops,
						      .from = from,
						      .to = to });
	/* How many, for now. */
	t->first[x->pair]++;
}

static void sum_up(struct together *t)
{
	uint32_t sum = 0;

	for (size_t i = 0; i <= t->pairs; i++) {
		uint32_t count = t->first[i];

		t->first[i] = sum;
		sum += count;
	}
}

void together_seal(struct together *t)
{
	uint32_t count = (uint32_t)t->all.count, from = 0;

	if (count)
		qsort(t->all.at, count, sizeof(*t->all.at), compare);
	for (uint32_t i = 1; i <= count; i++)
		if (i == count ||
		    !is_same_group(&t->all.at[from], &t->all.at[i])) {
			group(t, from, i);
			from = i;
		}
	sum_up(t);
	if (t->level < LEVEL_LOOP || !count)
		return;
	for (uint32_t i = 0; i < count; i++)
		vec_push(&t->by_tail, i);
	qsort_r(t->by_tail.at, count, sizeof(uint32_t), compare_by_tail,
		t->all.at);
}

/* ---- questions ---- */

/* Two groups: occurrences of g lead there, of h back. */
struct meeting {
	const struct together *t;
	const struct together_group *g, *h;
	bool by_head; /* g's heads and h's tails share a loop */
	bool by_tail; /* g's tails and h's heads do */
};

static const struct together_one *nth(const struct together *t, uint32_t i,
				      bool by_tail)
{
	return &t->all.at[by_tail ? t->by_tail.at[i] : i];
}

/* The first of a group's occurrences, in one of the two orders, that is of
 * this run with this iteration at least. */
static uint32_t lower(const struct together *t, const struct together_group *g,
		      uint32_t run, uint32_t began, uint32_t then, bool by_tail)
{
	uint32_t low = g->from, high = g->to;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct together_one *o = nth(t, mid, by_tail);
		uint32_t first = by_tail ? o->tail_began : o->head_began;
		int c = compare_numbers(o->run, run);

		c = c ? c : compare_numbers(first, began);
		if (!by_tail)
			c = c ? c : compare_numbers(o->tail_began, then);
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* An occurrence of h that is together with x; NULL: none. */
static const struct together_one *back_of(const struct meeting *m,
					  const struct together_one *x)
{
	bool by_tail = m->by_head && !m->by_tail;
	uint32_t began = by_tail    ? x->head_began :
			 m->by_tail ? x->tail_began :
				      0;
	uint32_t then = m->by_head ? x->head_began : 0;
	uint32_t n = lower(m->t, m->h, x->run, began, then, by_tail);
	const struct together_one *y;

	if (n == m->h->to)
		return NULL;
	y = nth(m->t, n, by_tail);
	if (y->run != x->run ||
	    (m->by_head && y->tail_began != x->head_began) ||
	    (m->by_tail && y->head_began != x->tail_began))
		return NULL;
	return y;
}

static bool meet_in(const struct meeting *m, uint32_t run, uint32_t *of_g,
		    uint32_t *of_h)
{
	const struct together *t = m->t;

	for (uint32_t i = lower(t, m->g, run, 0, 0, false);
	     i < m->g->to && t->all.at[i].run == run; i++) {
		const struct together_one *y = back_of(m, &t->all.at[i]);

		if (!y)
			continue;
		*of_g = t->all.at[i].source;
		*of_h = y->source;
		return true;
	}
	return false;
}

static const uint64_t *row_of(const struct together *t,
			      const struct together_group *g)
{
	return &t->rows.at[(size_t)(g - t->groups.at) * t->words];
}

static bool meet(const struct meeting *m, uint32_t *of_g, uint32_t *of_h)
{
	const uint64_t *a = row_of(m->t, m->g), *b = row_of(m->t, m->h);

	for (size_t w = 0; w < m->t->words; w++)
		for (uint64_t common = a[w] & b[w]; common;
		     common &= common - 1) {
			uint32_t run = (uint32_t)(w * 64) +
				       (uint32_t)__builtin_ctzll(common);

			if (meet_in(m, run, of_g, of_h))
				return true;
		}
	return false;
}

/* Is a run in common enough? Then nothing has to be looked up. */
static bool meet_anywhere(const struct meeting *m)
{
	const uint64_t *a = row_of(m->t, m->g), *b = row_of(m->t, m->h);

	for (size_t w = 0; w < m->t->words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* The first group of the pair that leads between these threads or later
 * ones. */
static uint32_t group_from(const struct together *t, uint32_t pair,
			   uint32_t threads)
{
	uint32_t low = t->first[pair], high = t->first[pair + 1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->groups.at[mid].threads < threads)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool group_meets(const struct together *t,
			const struct together_group *g, uint32_t j,
			uint32_t *of_g, uint32_t *of_j)
{
	uint32_t threads = together_turned(g->threads);

	for (uint32_t k = group_from(t, j, threads);
	     k < t->first[j + 1] && t->groups.at[k].threads == threads; k++) {
		const struct together_group *h = &t->groups.at[k];
		uint32_t head = g->loops >> 16, tail = g->loops & 0xffff;
		struct meeting m = {
			.t = t,
			.g = g,
			.h = h,
			.by_head = head && head == (h->loops & 0xffff),
			.by_tail = tail && tail == h->loops >> 16,
		};
		bool is_plain = !of_g && !m.by_head && !m.by_tail;
		uint32_t x, y;

		if (is_plain ? !meet_anywhere(&m) : !meet(&m, &x, &y))
			continue;
		if (of_g) {
			*of_g = x;
			*of_j = y;
		}
		return true;
	}
	return false;
}

bool together_has(const struct together *t, uint32_t i, uint32_t j,
		  uint32_t *of_i, uint32_t *of_j)
{
	uint32_t groups_i = t->first[i + 1] - t->first[i];
	uint32_t groups_j = t->first[j + 1] - t->first[j];

	if (groups_j < groups_i)
		return together_has(t, j, i, of_j, of_i);
	for (uint32_t k = t->first[i]; k < t->first[i + 1]; k++)
		if (group_meets(t, &t->groups.at[k], j, of_i, of_j))
			return true;
	return false;
}
