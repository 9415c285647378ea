/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/lockgraph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Counting sort: linear, and keeps the order. */
static void sort_edges(struct lockgraph *g, struct lockgraph_edge *edges)
{
	size_t *at = xcalloc(g->nodes + 1, sizeof(*at));

	for (size_t i = 0; i < g->edge_count; i++)
		g->first[edges[i].from + 1]++;
	for (uint32_t n = 0; n < g->nodes; n++)
		g->first[n + 1] += g->first[n];
	memcpy(at, g->first, (g->nodes + 1) * sizeof(*at));
	for (size_t i = 0; i < g->edge_count; i++)
		g->edges[at[edges[i].from]++] = edges[i];
	free(at);
	free(edges);
}

/*
 * Tarjan's algorithm, with a stack of our own instead of recursion: a chain of
 * a million locks must not end the tool.
 */
struct visit {
	uint32_t node;
	size_t edge; /* the next to follow */
};

struct search {
	struct lockgraph *graph;
	uint32_t *index; /* 0: not seen yet */
	uint32_t *low;
	bool *is_open;
	uint32_t seen, components;
	VEC(uint32_t) open;
	VEC(struct visit) visits;
};

static void node_enter(struct search *s, uint32_t n)
{
	s->index[n] = s->low[n] = ++s->seen;
	s->is_open[n] = true;
	vec_push(&s->open, n);
	vec_push(&s->visits, (struct visit){ n, s->graph->first[n] });
}

static void lower(struct search *s, uint32_t n, uint32_t to)
{
	if (to < s->low[n])
		s->low[n] = to;
}

/* All that was reached from n is known. */
static void node_leave(struct search *s, uint32_t n)
{
	uint32_t m;

	s->visits.count--;
	if (s->visits.count)
		lower(s, s->visits.at[s->visits.count - 1].node, s->low[n]);
	if (s->low[n] != s->index[n])
		return;
	s->components++;
	do {
		m = s->open.at[--s->open.count];
		s->is_open[m] = false;
		s->graph->component[m] = s->components;
	} while (m != n);
}

static void search_from(struct search *s, uint32_t root)
{
	const struct lockgraph *g = s->graph;

	node_enter(s, root);
	while (s->visits.count) {
		struct visit *v = &s->visits.at[s->visits.count - 1];
		uint32_t to;

		if (v->edge == g->first[v->node + 1]) {
			node_leave(s, v->node);
			continue;
		}
		to = g->edges[v->edge++].to;
		if (!s->index[to])
			node_enter(s, to);
		else if (s->is_open[to])
			lower(s, v->node, s->index[to]);
	}
}

static void find_components(struct lockgraph *g)
{
	struct search s = { .graph = g };

	s.index = xcalloc(g->nodes + 1, sizeof(*s.index));
	s.low = xcalloc(g->nodes + 1, sizeof(*s.low));
	s.is_open = xcalloc(g->nodes + 1, sizeof(*s.is_open));
	for (uint32_t n = 0; n < g->nodes; n++)
		if (!s.index[n])
			search_from(&s, n);
	free(s.index);
	free(s.low);
	free(s.is_open);
	vec_free(&s.open);
	vec_free(&s.visits);
}

void lockgraph_build(struct lockgraph *g, struct lockgraph_edge *edges,
		     size_t count, uint32_t nodes)
{
	g->nodes = nodes;
	g->edge_count = count;
	g->edges = xcalloc(count + 1, sizeof(*g->edges));
	g->first = xcalloc((size_t)nodes + 2, sizeof(*g->first));
	g->component = xcalloc((size_t)nodes + 1, sizeof(*g->component));
	sort_edges(g, edges);
	find_components(g);
}

void lockgraph_done(struct lockgraph *g)
{
	free(g->edges);
	free(g->first);
	free(g->component);
	memset(g, 0, sizeof(*g));
}
