/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/lockgraph.h"
#include "base/xalloc.h"

#include <string.h>

enum { NODES = 9 };

static uint64_t seed = 5;

static uint64_t draw(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* Two nodes are in one component iff each reaches the other. */
static void components_are_mutual_reachability(void **state)
{
	(void)state;
	for (int round = 0; round < 1000; round++) {
		size_t count = draw(16);
		struct lockgraph_edge *edges =
			xcalloc(count + 1, sizeof(*edges));
		int reach[NODES][NODES] = { { 0 } };
		struct lockgraph g;

		for (size_t i = 0; i < count; i++) {
			edges[i].from = (uint32_t)draw(NODES);
			edges[i].to = (uint32_t)draw(NODES);
			reach[edges[i].from][edges[i].to] = 1;
		}
		for (int i = 0; i < NODES; i++)
			reach[i][i] = 1;
		for (int k = 0; k < NODES; k++)
			for (int i = 0; i < NODES; i++)
				for (int j = 0; j < NODES; j++)
					reach[i][j] |= reach[i][k] &
						       reach[k][j];
		lockgraph_build(&g, edges, count, NODES);
		for (int i = 0; i < NODES; i++)
			for (int j = 0; j < NODES; j++)
				assert_int_equal(g.component[i] ==
							 g.component[j],
						 reach[i][j] && reach[j][i]);
		lockgraph_done(&g);
	}
}

static void edges_are_found_by_their_node_in_order(void **state)
{
	const struct lockgraph_edge given[] = {
		{ 2, 0, 10 }, { 0, 1, 11 }, { 2, 1, 12 }, { 0, 2, 13 }
	};
	struct lockgraph_edge *edges = xmalloc(sizeof(given));
	struct lockgraph g;

	(void)state;
	memcpy(edges, given, sizeof(given));
	lockgraph_build(&g, edges, 4, 3);
	assert_int_equal(g.first[0], 0);
	assert_int_equal(g.first[1], 2);
	assert_int_equal(g.first[2], 2);
	assert_int_equal(g.first[3], 4);
	assert_int_equal(g.edges[0].label, 11);
	assert_int_equal(g.edges[1].label, 13);
	assert_int_equal(g.edges[2].label, 10);
	assert_int_equal(g.edges[3].label, 12);
	lockgraph_done(&g);
}

static void a_long_chain_needs_no_recursion(void **state)
{
	enum { LONG = 300000 };
	struct lockgraph_edge *edges = xcalloc(LONG, sizeof(*edges));
	struct lockgraph g;

	(void)state;
	for (uint32_t i = 0; i < LONG; i++)
		edges[i] = (struct lockgraph_edge){ i, (i + 1) % LONG, i };
	lockgraph_build(&g, edges, LONG, LONG);
	assert_int_equal(g.component[0], g.component[LONG - 1]);
	lockgraph_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(components_are_mutual_reachability),
		cmocka_unit_test(edges_are_found_by_their_node_in_order),
		cmocka_unit_test(a_long_chain_needs_no_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
