/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a serial order, against all permutations: random objects with
 * a few cells whose requests read, write, add and exchange, histories of random
 * overlap, and outcomes that come from an order, from two different orders, or
 * from nowhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/rng.h"
#include "linear/serial_orders.h"

enum { CELLS = 2, MOST = 6, ROUNDS = 3000, EXECUTIONS = 1024 };

struct request {
	uint32_t cell, what;
	int value;
};

struct outcome {
	int replies[MOST];
	int cells[CELLS];
};

struct world {
	uint32_t count;
	struct request requests[MOST];
	struct outcome seen;
	struct outcome served[EXECUTIONS];
	uint32_t orders[EXECUTIONS][MOST];
	int executions;
	bool has_state;
};

static int act(struct request r, int *cell)
{
	int old = *cell;

	switch (r.what) {
	case 0:
		return old;
	case 1:
		*cell = r.value;
		return -1;
	case 2:
		*cell += r.value;
		return *cell;
	default:
		*cell = r.value;
		return old;
	}
}

static struct outcome serve_all(const struct world *w, const uint32_t *order,
				uint32_t count)
{
	struct outcome o = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		struct request r = w->requests[order[i]];

		o.replies[order[i]] = act(r, &o.cells[r.cell]);
	}
	return o;
}

static int serve(void *arg, const uint32_t *order, uint32_t count,
		 bool *was_known, struct err *err)
{
	struct world *w = arg;

	(void)err;
	*was_known = false;
	assert_true(w->executions < EXECUTIONS);
	memcpy(w->orders[w->executions], order, count * sizeof(*order));
	w->served[w->executions] = serve_all(w, order, count);
	return w->executions++;
}

static bool replies(void *arg, int execution, uint32_t request)
{
	const struct world *w = arg;

	return w->served[execution].replies[request] ==
	       w->seen.replies[request];
}

static bool leaves(void *arg, int execution)
{
	const struct world *w = arg;

	return memcmp(w->served[execution].cells, w->seen.cells,
		      sizeof(w->seen.cells)) == 0;
}

static uint64_t state_after(void *arg, int execution, uint32_t k)
{
	const struct world *w = arg;
	struct outcome o = serve_all(w, w->orders[execution], k);
	uint64_t state = 1;

	for (int i = 0; i < CELLS; i++)
		state = state * 1000003 + (uint64_t)(o.cells[i] + 1000);
	return w->has_state ? state : 0;
}

static const struct orders_source source = {
	.serve = serve,
	.replies = replies,
	.leaves = leaves,
	.state_after = state_after,
};

/* ---- all permutations ---- */

static bool keeps(const struct orders_question *q, const uint32_t *order)
{
	for (uint32_t i = 0; i < q->count; i++)
		for (uint32_t k = i + 1; k < q->count; k++)
			if (q->before[order[k]] & UINT32_C(1) << order[i])
				return false;
	return true;
}

static bool fits(const struct world *w, const uint32_t *order)
{
	struct outcome o = serve_all(w, order, w->count);

	return memcmp(o.replies, w->seen.replies, sizeof(o.replies)) == 0 &&
	       memcmp(o.cells, w->seen.cells, sizeof(o.cells)) == 0;
}

static bool any_fits(const struct world *w, const struct orders_question *q,
		     uint32_t *order, uint32_t from)
{
	if (from == q->count)
		return keeps(q, order) && fits(w, order);
	for (uint32_t i = from; i < q->count; i++) {
		uint32_t swap = order[from];
		bool found;

		order[from] = order[i];
		order[i] = swap;
		found = any_fits(w, q, order, from + 1);
		order[i] = order[from];
		order[from] = swap;
		if (found)
			return true;
	}
	return false;
}

/* ---- random worlds ---- */

static void question_make(struct rng *rng, const struct world *w,
			  struct orders_question *q)
{
	uint32_t begin[MOST], end[MOST];

	*q = (struct orders_question){ .count = w->count, .budget = 10000 };
	for (uint32_t i = 0; i < w->count; i++) {
		begin[i] = rng_below(rng, 20);
		end[i] = begin[i] + 1 + rng_below(rng, 15);
	}
	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t k = 0; k < w->count; k++) {
			if (end[i] < begin[k])
				q->before[i] |= UINT32_C(1) << k;
			if (w->requests[i].cell != w->requests[k].cell)
				q->apart[i] |= UINT32_C(1) << k;
		}
}

static void shuffle(struct rng *rng, uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t k = rng_below(rng, i), swap = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swap;
	}
}

static void world_make(struct rng *rng, struct world *w)
{
	uint32_t a[MOST], b[MOST];
	struct outcome other;

	*w = (struct world){ .count = 1 + rng_below(rng, MOST),
			     .has_state = rng_below(rng, 2) };
	for (uint32_t i = 0; i < w->count; i++)
		w->requests[i] = (struct request){
			.cell = rng_below(rng, CELLS),
			.what = rng_below(rng, 4),
			.value = (int)rng_below(rng, 3),
		};
	shuffle(rng, a, w->count);
	shuffle(rng, b, w->count);
	w->seen = serve_all(w, a, w->count);
	other = serve_all(w, b, w->count);
	if (rng_below(rng, 3) == 0)
		memcpy(w->seen.cells, other.cells, sizeof(other.cells));
	if (rng_below(rng, 4) == 0)
		w->seen.replies[rng_below(rng, w->count)] =
			(int)rng_below(rng, 4);
}

static void test_against_all_permutations(void **state)
{
	struct rng rng = rng_seeded(7);
	static struct world w;
	uint32_t found = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct orders_source with = source;
		struct orders_question q;
		struct orders_result r;
		uint32_t order[MOST];
		struct err err;
		bool wanted;

		world_make(&rng, &w);
		question_make(&rng, &w, &q);
		for (uint32_t i = 0; i < MOST; i++)
			order[i] = i;
		with.arg = &w;
		wanted = any_fits(&w, &q, order, 0);
		assert_int_equal(orders_search(&q, &with, &r, &err), 0);
		assert_int_equal(r.answer, wanted ? ORDERS_FIT : ORDERS_NONE);
		if (!wanted)
			continue;
		found++;
		assert_true(keeps(&q, r.order));
		assert_true(fits(&w, r.order));
	}
	/* Both answers have to be common, or it tests nothing. */
	assert_in_range(found, ROUNDS / 5, ROUNDS * 4 / 5);
}

/* Pruning must not be what makes it right only: it has to save executions. */
static void test_prunes(void **state)
{
	static struct world w = { .count = MOST };
	struct orders_question q = { .count = MOST, .budget = 10000 };
	struct orders_source with = source;
	struct orders_result r;
	struct err err;

	(void)state;
	for (uint32_t i = 0; i < MOST; i++)
		w.requests[i] =
			(struct request){ .what = 2, .value = 1 << (int)i };
	w.seen = serve_all(&w, (uint32_t[]){ 5, 4, 3, 2, 1, 0 }, MOST);
	with.arg = &w;
	assert_int_equal(orders_search(&q, &with, &r, &err), 0);
	assert_int_equal(r.answer, ORDERS_FIT);
	assert_in_range(r.made, 1, 25);

	q.budget = 3;
	w.executions = 0;
	assert_int_equal(orders_search(&q, &with, &r, &err), 0);
	assert_int_equal(r.answer, ORDERS_UNKNOWN);
	assert_int_equal(r.made, 3);
}

static void test_lists(void **state)
{
	struct orders_question q = { .count = 3 };
	uint32_t orders[6 * 3];

	(void)state;
	assert_int_equal(orders_list(&q, orders, 6), 6);
	assert_int_equal(orders[0], 0);
	assert_int_equal(orders[5 * 3], 2);
	q.before[2] = 1 << 0 | 1 << 1;
	assert_int_equal(orders_list(&q, orders, 6), 2);
	assert_int_equal(orders[0], 2);
	assert_int_equal(orders_list(&q, orders, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all_permutations),
		cmocka_unit_test(test_prunes),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
