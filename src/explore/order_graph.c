/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/order_graph.h"

#include <string.h>

void order_graph_init(struct order_graph *g, uint32_t chains)
{
	*g = (struct order_graph){ .chains = chains };
	g->chain = xcalloc(chains ? chains : 1, sizeof(*g->chain));
}

void order_graph_done(struct order_graph *g)
{
	for (uint32_t c = 0; c < g->chains; c++)
		vec_free(&g->chain[c]);
	free(g->chain);
	for (size_t i = 0; i < g->atoms.count; i++)
		vec_free(&g->atoms.at[i]);
	vec_free(&g->events);
	vec_free(&g->clock);
	vec_free(&g->rise);
	vec_free(&g->atoms);
	vec_free(&g->edges);
	vec_free(&g->rises);
	vec_free(&g->work);
	vec_free(&g->implied);
}

static size_t slot_of(const struct order_graph *g, uint32_t event,
		      uint32_t chain)
{
	return (size_t)event * g->chains + chain;
}

static uint32_t atoms_from(const struct order_atoms *list, uint32_t position)
{
	uint32_t low = 0, high = (uint32_t)list->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (list->at[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The clock of an event at a chain goes up to `value`, by that edge. */
static void lift(struct order_graph *g, uint32_t event, uint32_t chain,
		 uint32_t value, uint32_t edge)
{
	size_t slot = slot_of(g, event, chain);
	const struct order_atoms *list = &g->atoms.at[slot];
	uint32_t old = g->clock.at[slot];

	vec_push(&g->rises, (struct order_rise){ (uint32_t)slot, old, edge,
						 g->rise.at[slot] });
	g->rise.at[slot] = (uint32_t)(g->rises.count - 1);
	g->clock.at[slot] = value;
	for (uint32_t i = atoms_from(list, old);
	     i < list->count && list->at[i].position < value; i++)
		vec_push(&g->implied, list->at[i].l);
}

/* What is before `from` is before `to` too. Was that news? */
static bool hand_on(struct order_graph *g, uint32_t from, uint32_t to,
		    uint32_t edge)
{
	const struct order_event *f = &g->events.at[from];
	uint32_t own = g->events.at[to].chain;
	bool news = false;

	for (uint32_t c = 0; c < g->chains; c++) {
		uint32_t value = g->clock.at[slot_of(g, from, c)];

		if (c == own)
			continue;
		if (c == f->chain)
			value = f->position + 1;
		if (value > g->clock.at[slot_of(g, to, c)]) {
			lift(g, to, c, value, edge);
			news = true;
		}
	}
	return news;
}

void order_graph_event(struct order_graph *g, uint32_t chain)
{
	uint32_t event = (uint32_t)g->events.count;
	struct order_chain *list = &g->chain[chain];

	vec_push(&g->events, (struct order_event){ chain, (uint32_t)list->count,
						   ORDER_NONE });
	for (uint32_t c = 0; c < g->chains; c++) {
		vec_push(&g->clock, 0);
		vec_push(&g->rise, ORDER_NONE);
		vec_push(&g->atoms, (struct order_atoms){ 0 });
	}
	g->clock.at[slot_of(g, event, chain)] = (uint32_t)list->count;
	if (list->count)
		hand_on(g, list->at[list->count - 1], event, ORDER_CHAIN);
	vec_push(list, event);
}

static void watch_one(struct order_graph *g, uint32_t earlier, uint32_t later,
		      literal l)
{
	const struct order_event *e = &g->events.at[earlier];
	struct order_atoms *list = &g->atoms.at[slot_of(g, later, e->chain)];
	uint32_t i = atoms_from(list, e->position);

	vec_push(list, (struct order_atom){ 0 });
	memmove(&list->at[i + 1], &list->at[i],
		(list->count - 1 - i) * sizeof(list->at[0]));
	list->at[i] = (struct order_atom){ e->position, l };
}

void order_graph_watch(struct order_graph *g, uint32_t a, uint32_t b, literal l)
{
	watch_one(g, a, b, l);
	watch_one(g, b, a, literal_not(l));
}

bool order_graph_is_before(const struct order_graph *g, uint32_t a, uint32_t b)
{
	const struct order_event *e = &g->events.at[a];

	return g->clock.at[slot_of(g, b, e->chain)] > e->position;
}

/* Hands the clock of an event, which has risen, to all that follows. */
static void spread(struct order_graph *g, uint32_t event)
{
	g->work.count = 0;
	vec_push(&g->work, event);
	while (g->work.count) {
		uint32_t at = g->work.at[--g->work.count];
		const struct order_event *e = &g->events.at[at];
		const struct order_chain *list = &g->chain[e->chain];

		for (uint32_t i = e->edges; i != ORDER_NONE;
		     i = g->edges.at[i].next)
			if (hand_on(g, at, g->edges.at[i].to, i))
				vec_push(&g->work, g->edges.at[i].to);
		if (e->position + 1 < list->count) {
			uint32_t next = list->at[e->position + 1];

			if (hand_on(g, at, next, ORDER_CHAIN))
				vec_push(&g->work, next);
		}
	}
}

void order_graph_assert(struct order_graph *g, uint32_t a, uint32_t b,
			literal l)
{
	uint32_t edge = (uint32_t)g->edges.count;

	CHECK(!order_graph_is_before(g, b, a));
	if (order_graph_is_before(g, a, b))
		return;
	vec_push(&g->edges,
		 (struct order_edge){ a, b, l, g->events.at[a].edges });
	g->events.at[a].edges = edge;
	if (hand_on(g, a, b, edge))
		spread(g, b);
}

/* The edge by which the event at `position` of a chain came to be before
 * another event. */
static uint32_t edge_behind(const struct order_graph *g, uint32_t event,
			    uint32_t chain, uint32_t position)
{
	uint32_t i = g->rise.at[slot_of(g, event, chain)];

	for (;;) {
		CHECK(i != ORDER_NONE);
		if (g->rises.at[i].old <= position)
			return g->rises.at[i].edge;
		i = g->rises.at[i].older;
	}
}

void order_graph_explain(const struct order_graph *g, uint32_t a, uint32_t b,
			 struct literals *out)
{
	uint32_t chain = g->events.at[a].chain;
	uint32_t position = g->events.at[a].position;

	while (g->events.at[b].chain != chain) {
		const struct order_event *e = &g->events.at[b];
		uint32_t edge = edge_behind(g, b, chain, position);

		if (edge == ORDER_CHAIN) {
			b = g->chain[e->chain].at[e->position - 1];
		} else {
			vec_push(out, literal_not(g->edges.at[edge].l));
			b = g->edges.at[edge].from;
		}
	}
}

struct order_mark order_graph_mark(const struct order_graph *g)
{
	return (struct order_mark){ g->edges.count, g->rises.count };
}

void order_graph_undo(struct order_graph *g, struct order_mark mark)
{
	while (g->rises.count > mark.rises) {
		const struct order_rise *r = &g->rises.at[--g->rises.count];

		g->clock.at[r->slot] = r->old;
		g->rise.at[r->slot] = r->older;
	}
	while (g->edges.count > mark.edges) {
		const struct order_edge *e = &g->edges.at[--g->edges.count];

		g->events.at[e->from].edges = e->next;
	}
}

static bool is_ready(const struct order_graph *g, uint32_t event,
		     const uint32_t *done)
{
	for (uint32_t c = 0; c < g->chains; c++)
		if (g->clock.at[slot_of(g, event, c)] > done[c])
			return false;
	return true;
}

void order_graph_sequence(const struct order_graph *g, uint32_t *out)
{
	uint32_t *done = xcalloc(g->chains ? g->chains : 1, sizeof(*done));
	size_t count = 0;

	while (count < g->events.count) {
		size_t before = count;

		for (uint32_t c = 0; c < g->chains; c++)
			while (done[c] < g->chain[c].count &&
			       is_ready(g, g->chain[c].at[done[c]], done))
				out[count++] = g->chain[c].at[done[c]++];
		CHECK(count > before);
	}
	free(done);
}
