/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own solver behind solver.h: a search with an order graph. The search is
 * at level 0 whenever the caller is, and a solution is kept apart.
 */
#include <string.h>

#include "analysis/keymap.h"
#include "explore/search.h"
#include "explore/solver_kind.h"

struct order_solver {
	struct search search;
	struct keymap pairs;  /* of events: the literal plus 1 */
	VEC(literal) present; /* by event */
	VEC(uint8_t) value;   /* of the last solution, by literal */
	VEC(uint32_t) sequence;
	struct literals scratch;
};

static void *order_new(uint32_t chains)
{
	struct order_solver *o = xcalloc(1, sizeof(*o));
	uint32_t constant;

	search_init(&o->search, chains);
	constant = search_variable(&o->search);
	search_set(&o->search, 2 * constant, REASON_NONE);
	return o;
}

static void order_free(void *self)
{
	struct order_solver *o = self;

	search_done(&o->search);
	keymap_done(&o->pairs);
	vec_free(&o->present);
	vec_free(&o->value);
	vec_free(&o->sequence);
	vec_free(&o->scratch);
	free(o);
}

/* Events are left out where that is possible, whatever was before. */
static void order_event(void *self, uint32_t chain, literal present)
{
	struct order_solver *o = self;
	struct search_variable *v = &o->search.variables.at[present >> 1];

	v->phase = !(present & 1);
	v->keeps_phase = false;
	vec_push(&o->present, present);
	order_graph_event(&o->search.graph, chain);
}

static void order_edge(void *self, uint32_t a, uint32_t b)
{
	struct order_solver *o = self;

	search_edge(&o->search, a, b);
}

static literal order_variable(void *self, literal need)
{
	struct order_solver *o = self;
	uint32_t v = search_variable(&o->search);

	o->search.variables.at[v].need[0] = need;
	return 2 * v;
}

static literal new_pair(struct order_solver *o, uint32_t a, uint32_t b)
{
	uint32_t v = search_variable(&o->search);
	struct search_variable *variable = &o->search.variables.at[v];

	variable->from = a;
	variable->to = b;
	variable->need[0] = o->present.at[a];
	variable->need[1] = o->present.at[b];
	order_graph_watch(&o->search.graph, a, b, 2 * v);
	return 2 * v;
}

static literal order_before(void *self, uint32_t a, uint32_t b)
{
	struct order_solver *o = self;
	bool turned = a > b;
	uint32_t *place;

	if (order_graph_is_before(&o->search.graph, a, b))
		return LITERAL_TRUE;
	if (order_graph_is_before(&o->search.graph, b, a))
		return LITERAL_FALSE;
	place = keymap_at(&o->pairs, turned ? b : a, turned ? a : b);
	if (!*place)
		*place = new_pair(o, turned ? b : a, turned ? a : b) + 1;
	return (*place - 1) ^ turned;
}

static void order_prefer(void *self, literal l)
{
	struct order_solver *o = self;

	o->search.variables.at[l >> 1].phase = l & 1;
}

static void order_clause(void *self, const literal *literals, size_t count)
{
	struct order_solver *o = self;

	vec_reserve(&o->scratch, count + 1);
	for (size_t i = 0; i < count; i++)
		o->scratch.at[i] = literals[i];
	search_clause(&o->search, o->scratch.at, count);
}

static void keep_solution(struct order_solver *o)
{
	size_t values = o->search.value.count;
	size_t events = o->search.graph.events.count;

	vec_reserve(&o->value, values);
	memcpy(o->value.at, o->search.value.at, values);
	o->value.count = values;
	vec_reserve(&o->sequence, events + 1);
	order_graph_sequence(&o->search.graph, o->sequence.at);
}

static enum solver_answer order_solve(void *self, const literal *assumptions,
				      size_t count, uint64_t limit)
{
	struct order_solver *o = self;
	enum solver_answer answer;

	answer = search_run(&o->search, assumptions, count, limit);
	if (answer == SOLVER_YES)
		keep_solution(o);
	search_back(&o->search, 0);
	return answer;
}

/* What was left open did not matter and counts as false. */
static bool order_value(const void *self, literal l)
{
	const struct order_solver *o = self;
	uint8_t value = o->value.at[l];

	return value == VALUE_OPEN ? l & 1 : value == VALUE_TRUE;
}

static const uint32_t *order_sequence(const void *self)
{
	const struct order_solver *o = self;

	return o->sequence.at;
}

const struct solver_kind_ops solver_order_ops = {
	.new = order_new,
	.free = order_free,
	.event = order_event,
	.edge = order_edge,
	.variable = order_variable,
	.before = order_before,
	.prefer = order_prefer,
	.clause = order_clause,
	.solve = order_solve,
	.value = order_value,
	.sequence = order_sequence,
};
