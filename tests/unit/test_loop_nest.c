/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/loop_nest.h"
#include "format/rng.h"

enum { BLOCKS = 12 };

static void edge(struct flow *f, uint32_t from, uint32_t to)
{
	vec_push(&f->edges, (struct flow_edge){ .from = from, .to = to });
}

/* ---- by brute force ---- */

/* What can be reached from `start` without passing `without`. */
static void reach(const struct flow *f, uint32_t start, uint32_t without,
		  bool *is_reached)
{
	bool is_changed = start != without;

	memset(is_reached, 0, f->count * sizeof(*is_reached));
	is_reached[start] = start != without;
	while (is_changed) {
		is_changed = false;
		for (size_t i = 0; i < f->edges.count; i++) {
			const struct flow_edge *e = &f->edges.at[i];

			if (is_reached[e->from] && !is_reached[e->to] &&
			    e->to != without) {
				is_reached[e->to] = true;
				is_changed = true;
			}
		}
	}
}

static bool dominates(const struct flow *f, uint32_t d, uint32_t b)
{
	bool with[BLOCKS], without[BLOCKS];

	reach(f, 0, FLOW_NONE, with);
	reach(f, 0, d, without);
	return with[b] && !without[b];
}

/* Is b in the loop of header h: can an edge back to h be reached from it
 * without passing h? */
static bool is_in_loop(const struct flow *f, uint32_t h, uint32_t b)
{
	bool reached[BLOCKS], alive[BLOCKS];

	reach(f, 0, FLOW_NONE, alive);
	if (!alive[b])
		return false;
	reach(f, b, b == h ? FLOW_NONE : h, reached);
	for (size_t i = 0; i < f->edges.count; i++) {
		const struct flow_edge *e = &f->edges.at[i];

		if (e->to == h && dominates(f, h, e->from) &&
		    (b == h || reached[e->from]))
			return true;
	}
	return false;
}

static struct flow random_flow(struct rng *rng)
{
	struct flow f = { .count = 2 + rng_below(rng, BLOCKS - 2) };
	uint32_t edges = f.count + rng_below(rng, f.count);

	for (uint32_t i = 0; i < edges; i++)
		edge(&f, rng_below(rng, f.count), rng_below(rng, f.count));
	return f;
}

static void check_loops(const struct flow *f, const struct loop_nest *n)
{
	for (uint32_t h = 0; h < f->count; h++) {
		uint32_t loop = 0;

		for (uint32_t k = 1; k < n->loops.count; k++)
			if (n->loops.at[k].header == h)
				loop = k;
		for (uint32_t b = 0; b < f->count; b++)
			assert_int_equal(
				is_in_loop(f, h, b),
				loop && n->innermost[b] &&
					loop_nest_lies_in(n, n->innermost[b],
							  loop));
	}
}

static void test_brute_force(void **state)
{
	struct rng rng = rng_fork(3, 1);
	size_t loops = 0, nested = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct flow f = random_flow(&rng);
		struct loop_nest n;

		loop_nest_init(&n, &f);
		for (uint32_t d = 0; d < f.count; d++)
			for (uint32_t b = 0; b < f.count; b++)
				assert_int_equal(flow_dominates(n.idom, d, b),
						 dominates(&f, d, b));
		check_loops(&f, &n);
		loops += n.loops.count - 1;
		for (uint32_t k = 1; k < n.loops.count; k++) {
			assert_true(n.loops.at[k].outer < k);
			nested += n.loops.at[k].outer != 0;
		}
		loop_nest_done(&n);
		vec_free(&f.edges);
	}
	assert_true(loops > 1000 && nested > 100);
}

/* ---- by hand ---- */

/* for (1) { for (2, 3) { if (3) goto out; } } out: 5 */
static void test_nested_exit(void **state)
{
	struct flow f = { .count = 6 };
	struct loop_nest n;

	(void)state;
	edge(&f, 0, 1);
	edge(&f, 1, 2);
	edge(&f, 1, 5);
	edge(&f, 2, 3);
	edge(&f, 3, 2);
	edge(&f, 3, 5);
	edge(&f, 2, 4);
	edge(&f, 4, 1);
	loop_nest_init(&n, &f);
	assert_int_equal(n.loops.count, 3);
	assert_int_equal(n.loops.at[1].header, 1);
	assert_int_equal(n.loops.at[2].header, 2);
	assert_int_equal(n.loops.at[2].outer, 1);
	assert_int_equal(n.innermost[0], 0);
	assert_int_equal(n.innermost[3], 2);
	assert_int_equal(n.innermost[4], 1);
	assert_int_equal(n.innermost[5], 0);
	loop_nest_done(&n);
	vec_free(&f.edges);
}

/* Two ways into a cycle: no header, no loop. A cycle nobody reaches: none. */
static void test_no_header(void **state)
{
	struct flow f = { .count = 5 };
	struct loop_nest n;

	(void)state;
	edge(&f, 0, 1);
	edge(&f, 0, 2);
	edge(&f, 1, 2);
	edge(&f, 2, 1);
	edge(&f, 3, 4);
	edge(&f, 4, 3);
	loop_nest_init(&n, &f);
	assert_int_equal(n.loops.count, 1);
	assert_int_equal(n.idom[3], FLOW_NONE);
	loop_nest_done(&n);
	vec_free(&f.edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brute_force),
		cmocka_unit_test(test_nested_exit),
		cmocka_unit_test(test_no_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
