/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ORDER_GRAPH_H
#define HEDDLE_ORDER_GRAPH_H

/*
 * The order theory of our solver: chains of events and edges between them that
 * come and go like a stack. Each event has a clock, which says for every chain
 * how many of its events are before it, through any number of edges. So the
 * graph is always closed: an edge that would make a cycle is known before it
 * is asserted, and every Boolean that an edge settles is told at once.
 *
 * Each rise of a clock remembers the edge it came by and the rise before it at
 * the same place. The oldest rise that covers an event names the edge by which
 * the event came to be before; from there backwards the whole path is read
 * off, without a search, and it has only edges older than what it explains.
 *
 * Edges and rises are undone in the order opposite to their making, back to a
 * mark.
 */

#include "base/vec.h"
#include "explore/solver.h"

/* As VEC makes them, with a name. */
struct literals {
	literal *at;
	size_t count, room;
};

/* A Boolean seen from the later event: it holds where event `position` of the
 * list's chain is before the list's event. */
struct order_atom {
	uint32_t position;
	literal l;
};

struct order_rise {
	uint32_t slot; /* in the clocks */
	uint32_t old;
	uint32_t edge;	/* that brought it, or ORDER_CHAIN */
	uint32_t older; /* rise at this slot, or ORDER_NONE */
};

struct order_edge {
	uint32_t from, to;
	literal l;
	uint32_t next; /* edge from the same event */
};

enum { ORDER_NONE = 0xffffffff, ORDER_CHAIN = 0xfffffffe };

struct order_event {
	uint32_t chain, position;
	uint32_t edges; /* the newest edge from here */
};

struct order_chain {
	uint32_t *at;
	size_t count, room;
};

struct order_atoms {
	struct order_atom *at;
	size_t count, room;
};

struct order_graph {
	uint32_t chains;
	struct order_chain *chain; /* the events of each */
	VEC(struct order_event) events;
	VEC(uint32_t) clock; /* by slot: event times chains plus chain */
	VEC(uint32_t) rise;  /* by slot: the newest rise */
	VEC(struct order_atoms) atoms; /* by slot, by position */
	VEC(struct order_edge) edges;
	VEC(struct order_rise) rises;
	VEC(uint32_t) work;
	struct literals implied; /* by the last edge; the caller empties it */
};

struct order_mark {
	size_t edges, rises;
};

void order_graph_init(struct order_graph *g, uint32_t chains);
void order_graph_done(struct order_graph *g);

/* Appends an event to a chain. */
void order_graph_event(struct order_graph *g, uint32_t chain);

/* Says that literal l holds where a is before b, its opposite where b is
 * before a. */
void order_graph_watch(struct order_graph *g, uint32_t a, uint32_t b,
		       literal l);

/* Is a before b by the edges there are? */
bool order_graph_is_before(const struct order_graph *g, uint32_t a, uint32_t b);

/* Puts a before b, because of l; b must not be before a. What follows is added
 * to `implied`. */
void order_graph_assert(struct order_graph *g, uint32_t a, uint32_t b,
			literal l);

/* Adds the opposites of the literals by which a is before b. */
void order_graph_explain(const struct order_graph *g, uint32_t a, uint32_t b,
			 struct literals *out);

struct order_mark order_graph_mark(const struct order_graph *g);
void order_graph_undo(struct order_graph *g, struct order_mark mark);

/* All events in an order that keeps all edges; stays in a chain as long as
 * that is possible. */
void order_graph_sequence(const struct order_graph *g, uint32_t *out);

#endif
