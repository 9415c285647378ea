/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCKGRAPH_H
#define HEDDLE_LOCKGRAPH_H

/*
 * A directed graph over small numbers (locks), made for one question: which
 * nodes lie on a common circle? Nodes of one strongly connected component do,
 * and no others; so a search for cycles need not leave a component, and most
 * programs, which take their locks in one order, have none to search.
 */

#include <stddef.h>
#include <stdint.h>

struct lockgraph_edge {
	uint32_t from, to;
	uint32_t label; /* the user's */
};

struct lockgraph {
	struct lockgraph_edge *edges; /* sorted by from, once built */
	size_t edge_count;
	uint32_t nodes;
	size_t *first;	     /* by node: its first edge; nodes + 1 entries */
	uint32_t *component; /* by node: a number, the same for all of one */
};

/* Takes the edges (an allocated array) over, and sorts them; edges of a node
 * keep their order. */
void lockgraph_build(struct lockgraph *g, struct lockgraph_edge *edges,
		     size_t count, uint32_t nodes);
void lockgraph_done(struct lockgraph *g);

#endif
