/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/loop_nest.h"

#include <stdlib.h>
#include <string.h>

/* ---- edges by block ---- */

struct adjacency {
	uint32_t *from; /* of block b: list[from[b]] to list[from[b + 1]] */
	uint32_t *list;
};

static void adjacency_init(struct adjacency *a, const struct flow *f,
			   bool is_backward)
{
	uint32_t *next;

	a->from = xcalloc((size_t)f->count + 1, sizeof(*a->from));
	a->list = xcalloc(f->edges.count + 1, sizeof(*a->list));
	for (size_t i = 0; i < f->edges.count; i++) {
		const struct flow_edge *e = &f->edges.at[i];

		a->from[(is_backward ? e->to : e->from) + 1]++;
	}
	for (uint32_t b = 0; b < f->count; b++)
		a->from[b + 1] += a->from[b];
	next = xcalloc((size_t)f->count + 1, sizeof(*next));
	memcpy(next, a->from, f->count * sizeof(*next));
	for (size_t i = 0; i < f->edges.count; i++) {
		const struct flow_edge *e = &f->edges.at[i];

		if (is_backward)
			a->list[next[e->to]++] = e->from;
		else
			a->list[next[e->from]++] = e->to;
	}
	free(next);
}

static void adjacency_done(struct adjacency *a)
{
	free(a->from);
	free(a->list);
}

/* ---- dominators: Cooper, Harvey and Kennedy ---- */

/* Blocks in postorder; returns how many can be reached. */
static uint32_t postorder(const struct flow *f, const struct adjacency *next,
			  uint32_t *order, uint32_t *place)
{
	uint32_t *stack = xcalloc((size_t)f->count + 1, sizeof(*stack));
	uint32_t *at = xcalloc((size_t)f->count + 1, sizeof(*at));
	uint32_t depth = 0, count = 0;

	for (uint32_t b = 0; b < f->count; b++)
		place[b] = FLOW_NONE;
	if (f->count) {
		stack[depth++] = 0;
		place[0] = 0;
	}
	while (depth) {
		uint32_t b = stack[depth - 1], to;

		if (next->from[b] + at[b] == next->from[b + 1]) {
			place[b] = count;
			order[count++] = b;
			depth--;
			continue;
		}
		to = next->list[next->from[b] + at[b]++];
		if (place[to] == FLOW_NONE) {
			place[to] = 0;
			stack[depth++] = to;
		}
	}
	free(stack);
	free(at);
	return count;
}

static uint32_t meet(const uint32_t *idom, const uint32_t *place, uint32_t a,
		     uint32_t b)
{
	while (a != b) {
		while (place[a] < place[b])
			a = idom[a];
		while (place[b] < place[a])
			b = idom[b];
	}
	return a;
}

/* The dominator of a block as far as its predecessors have one. */
static uint32_t idom_of(uint32_t b, const struct adjacency *before,
			const uint32_t *idom, const uint32_t *place)
{
	uint32_t found = FLOW_NONE;

	for (uint32_t i = before->from[b]; i < before->from[b + 1]; i++) {
		uint32_t p = before->list[i];

		if (idom[p] == FLOW_NONE)
			continue;
		found = found == FLOW_NONE ? p : meet(idom, place, found, p);
	}
	return found;
}

void flow_dominators(const struct flow *f, uint32_t *idom)
{
	struct adjacency next, before;
	uint32_t *order = xcalloc((size_t)f->count + 1, sizeof(*order));
	uint32_t *place = xcalloc((size_t)f->count + 1, sizeof(*place));
	uint32_t count;
	bool is_changed = true;

	adjacency_init(&next, f, false);
	adjacency_init(&before, f, true);
	count = postorder(f, &next, order, place);
	for (uint32_t b = 0; b < f->count; b++)
		idom[b] = b ? FLOW_NONE : 0;
	while (is_changed) {
		is_changed = false;
		for (uint32_t i = count; i-- > 0;) {
			uint32_t b = order[i], found;

			if (!b)
				continue;
			found = idom_of(b, &before, idom, place);
			is_changed |= found != idom[b];
			idom[b] = found;
		}
	}
	adjacency_done(&next);
	adjacency_done(&before);
	free(order);
	free(place);
}

bool flow_dominates(const uint32_t *idom, uint32_t d, uint32_t b)
{
	if (idom[b] == FLOW_NONE)
		return false;
	while (b != d && b != idom[b])
		b = idom[b];
	return b == d;
}

/* ---- loops ---- */

/* Marks the blocks of the loop with this header. */
static uint32_t body_mark(const struct flow *f, const struct adjacency *before,
			  const uint32_t *idom, uint32_t header, bool *is_in)
{
	VEC(uint32_t) todo = { 0 };
	uint32_t size = 1;

	memset(is_in, 0, f->count * sizeof(*is_in));
	is_in[header] = true;
	vec_push(&todo, header);
	for (size_t n = 0; n < todo.count; n++) {
		uint32_t b = todo.at[n];

		for (uint32_t i = before->from[b]; i < before->from[b + 1];
		     i++) {
			uint32_t p = before->list[i];

			if (is_in[p] || idom[p] == FLOW_NONE ||
			    (!n && !flow_dominates(idom, header, p)))
				continue;
			is_in[p] = true;
			size++;
			vec_push(&todo, p);
		}
	}
	vec_free(&todo);
	return size;
}

static bool is_header(const struct adjacency *before, const uint32_t *idom,
		      uint32_t b)
{
	for (uint32_t i = before->from[b]; i < before->from[b + 1]; i++)
		if (flow_dominates(idom, b, before->list[i]))
			return true;
	return false;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct flow_loop *p = a, *q = b;

	if (p->size != q->size)
		return p->size > q->size ? -1 : 1;
	return p->header < q->header ? -1 : p->header > q->header;
}

/* Two loops with different headers are one in the other or apart, so the larger
 * ones first, each takes its blocks from the one it lies in. */
static void nest(struct loop_nest *n, const struct flow *f,
		 const struct adjacency *before)
{
	bool *is_in = xcalloc((size_t)f->count + 1, sizeof(*is_in));

	for (uint32_t k = 1; k < n->loops.count; k++) {
		struct flow_loop *l = &n->loops.at[k];

		l->outer = n->innermost[l->header];
		body_mark(f, before, n->idom, l->header, is_in);
		for (uint32_t b = 0; b < f->count; b++)
			if (is_in[b])
				n->innermost[b] = k;
	}
	free(is_in);
}

void loop_nest_init(struct loop_nest *n, const struct flow *f)
{
	struct adjacency before;
	bool *is_in = xcalloc((size_t)f->count + 1, sizeof(*is_in));

	*n = (struct loop_nest){
		.idom = xcalloc((size_t)f->count + 1, sizeof(*n->idom)),
		.innermost =
			xcalloc((size_t)f->count + 1, sizeof(*n->innermost)),
	};
	flow_dominators(f, n->idom);
	adjacency_init(&before, f, true);
	vec_push(&n->loops, (struct flow_loop){ .header = FLOW_NONE });
	for (uint32_t b = 0; b < f->count; b++)
		if (is_header(&before, n->idom, b))
			vec_push(&n->loops,
				 (struct flow_loop){
					 .header = b,
					 .size = body_mark(f, &before, n->idom,
							   b, is_in) });
	qsort(n->loops.at + 1, n->loops.count - 1, sizeof(*n->loops.at),
	      compare_sizes);
	nest(n, f, &before);
	adjacency_done(&before);
	free(is_in);
}

void loop_nest_done(struct loop_nest *n)
{
	free(n->idom);
	free(n->innermost);
	vec_free(&n->loops);
}

bool loop_nest_lies_in(const struct loop_nest *n, uint32_t inner,
		       uint32_t outer)
{
	while (inner > outer)
		inner = n->loops.at[inner].outer;
	return inner == outer;
}
