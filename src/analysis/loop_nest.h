/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOOP_NEST_H
#define HEDDLE_LOOP_NEST_H

/*
 * Natural loops of a flow graph, by dominators.
 *
 * Block d dominates block b when every way from the entry to b leads through d.
 * An edge to a block that dominates its source goes back: it closes the loop
 * whose header is that block. The loop is the header and all from which the
 * edge can be reached without passing the header. Edges back to one header make
 * one loop: a `continue` cannot be told from an inner loop that begins where
 * the outer one does.
 *
 * Finds: the loops that structured code and most `goto`s make, and which lies
 * in which. Misses: cycles that can be entered at two places, which have no
 * header; blocks that cannot be reached from the entry are in no loop. Wrong
 * when: the graph lacks edges.
 */

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { FLOW_NONE = UINT32_MAX };

struct flow_edge {
	uint32_t from, to;
};

/* Blocks are numbers from 0, which is the entry. */
struct flow {
	uint32_t count;
	VEC(struct flow_edge) edges;
};

/* Immediate dominators: idom[0] is 0; FLOW_NONE of a block that cannot be
 * reached. */
void flow_dominators(const struct flow *f, uint32_t *idom);

/* Does d dominate b? */
bool flow_dominates(const uint32_t *idom, uint32_t d, uint32_t b);

struct flow_loop {
	uint32_t header;
	uint32_t outer; /* the loop it lies in, 0: none */
	uint32_t size;	/* blocks */
};

struct loop_nest {
	uint32_t *idom;
	VEC(struct flow_loop) loops; /* number 0 is none; outer ones first */
	uint32_t *innermost;	     /* by block: its innermost loop, or 0 */
};

void loop_nest_init(struct loop_nest *n, const struct flow *f);
void loop_nest_done(struct loop_nest *n);

/* Does loop `inner` lie in `outer`, or is it that loop? */
bool loop_nest_lies_in(const struct loop_nest *n, uint32_t inner,
		       uint32_t outer);

#endif
