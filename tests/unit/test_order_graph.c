/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order graph against a matrix of who is before whom, closed by force
 * after every edge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore/order_graph.h"
#include "format/rng.h"

#include <string.h>

enum { CHAINS = 4, EVENTS = 20, EDGES = 40 };

struct truth {
	bool before[EVENTS][EVENTS];
};

struct world {
	struct order_graph graph;
	struct truth truth;
	struct rng rng;
	uint32_t from[EDGES], to[EDGES]; /* by edge's literal / 2 */
	uint32_t edges;
};

static void close_up(struct truth *t)
{
	for (int k = 0; k < EVENTS; k++)
		for (int a = 0; a < EVENTS; a++)
			for (int b = 0; b < EVENTS; b++)
				t->before[a][b] |= t->before[a][k] &&
						   t->before[k][b];
}

static void world_init(struct world *w, uint64_t seed)
{
	int last[CHAINS] = { -1, -1, -1, -1 };

	memset(w, 0, sizeof(*w));
	w->rng = rng_seeded(seed);
	order_graph_init(&w->graph, CHAINS);
	for (int e = 0; e < EVENTS; e++) {
		uint32_t c = rng_below(&w->rng, CHAINS);

		order_graph_event(&w->graph, c);
		if (last[c] >= 0)
			w->truth.before[last[c]][e] = true;
		last[c] = e;
	}
	close_up(&w->truth);
}

/* One more edge between events that are not ordered; false: none found. */
static bool add_edge(struct world *w)
{
	for (int i = 0; i < 50; i++) {
		uint32_t a = rng_below(&w->rng, EVENTS);
		uint32_t b = rng_below(&w->rng, EVENTS);

		if (a == b || w->truth.before[b][a])
			continue;
		w->from[w->edges] = a;
		w->to[w->edges] = b;
		order_graph_assert(&w->graph, a, b, 2 * w->edges++);
		w->truth.before[a][b] = true;
		close_up(&w->truth);
		return true;
	}
	return false;
}

static void compare(const struct world *w)
{
	for (uint32_t a = 0; a < EVENTS; a++)
		for (uint32_t b = 0; b < EVENTS; b++)
			if (a != b)
				assert_int_equal(
					order_graph_is_before(&w->graph, a, b),
					w->truth.before[a][b]);
}

static void clocks_are_the_closure_of_the_edges(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct world w;

		world_init(&w, seed);
		while (w.edges < EDGES && add_edge(&w))
			compare(&w);
		order_graph_done(&w.graph);
	}
}

static void undoing_brings_back_what_was(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct order_mark mark;
		struct truth before;
		struct world w;

		world_init(&w, seed);
		for (int i = 0; i < 5; i++)
			add_edge(&w);
		mark = order_graph_mark(&w.graph);
		before = w.truth;
		for (int i = 0; i < 10; i++)
			add_edge(&w);
		order_graph_undo(&w.graph, mark);
		w.truth = before;
		compare(&w);
		for (int i = 0; i < 10; i++)
			add_edge(&w);
		compare(&w);
		order_graph_done(&w.graph);
	}
}

/* Do the edges of an explanation alone put a before b? */
static bool is_reason(const struct world *w, const struct literals *reason,
		      uint32_t a, uint32_t b)
{
	struct world again = { 0 };

	for (uint32_t x = 0; x < EVENTS; x++)
		for (uint32_t y = x + 1; y < EVENTS; y++)
			again.truth.before[x][y] =
				w->graph.events.at[x].chain ==
				w->graph.events.at[y].chain;
	for (size_t i = 0; i < reason->count; i++) {
		uint32_t edge = literal_not(reason->at[i]) / 2;

		again.truth.before[w->from[edge]][w->to[edge]] = true;
	}
	close_up(&again.truth);
	return again.truth.before[a][b];
}

static void explanations_are_sufficient(void **state)
{
	struct literals reason = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct world w;

		world_init(&w, seed);
		for (int i = 0; i < 12; i++)
			add_edge(&w);
		for (uint32_t a = 0; a < EVENTS; a++) {
			for (uint32_t b = 0; b < EVENTS; b++) {
				if (!w.truth.before[a][b])
					continue;
				reason.count = 0;
				order_graph_explain(&w.graph, a, b, &reason);
				assert_true(is_reason(&w, &reason, a, b));
			}
		}
		order_graph_done(&w.graph);
	}
	vec_free(&reason);
}

/* What the literal of a pair says must be told in the step that settles it,
 * once. */
static void every_settled_pair_is_told_at_once(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		bool told[EVENTS][EVENTS] = { 0 };
		struct world w;

		world_init(&w, seed);
		for (uint32_t a = 0; a < EVENTS; a++)
			for (uint32_t b = a + 1; b < EVENTS; b++)
				if (w.graph.events.at[a].chain !=
				    w.graph.events.at[b].chain)
					order_graph_watch(&w.graph, a, b,
							  2 * (a * EVENTS + b));
		while (w.edges < EDGES && add_edge(&w)) {
			for (size_t i = 0; i < w.graph.implied.count; i++) {
				literal l = w.graph.implied.at[i];
				uint32_t a = l / 2 / EVENTS, b = l / 2 % EVENTS;
				bool *cell = l & 1 ? &told[b][a] : &told[a][b];

				assert_false(*cell);
				*cell = true;
			}
			w.graph.implied.count = 0;
			for (uint32_t a = 0; a < EVENTS; a++)
				for (uint32_t b = 0; b < EVENTS; b++)
					if (w.graph.events.at[a].chain !=
					    w.graph.events.at[b].chain)
						assert_int_equal(
							told[a][b],
							w.truth.before[a][b]);
		}
		order_graph_done(&w.graph);
	}
}

static void the_sequence_keeps_every_edge(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		uint32_t sequence[EVENTS];
		struct world w;

		world_init(&w, seed);
		for (int i = 0; i < 15; i++)
			add_edge(&w);
		order_graph_sequence(&w.graph, sequence);
		for (int i = 0; i < EVENTS; i++)
			for (int k = 0; k < i; k++)
				assert_false(w.truth.before[sequence[i]]
							   [sequence[k]]);
		order_graph_done(&w.graph);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_the_closure_of_the_edges),
		cmocka_unit_test(undoing_brings_back_what_was),
		cmocka_unit_test(explanations_are_sufficient),
		cmocka_unit_test(every_settled_pair_is_told_at_once),
		cmocka_unit_test(the_sequence_keeps_every_edge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
