/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ORDER_PUZZLE_H
#define HEDDLE_ORDER_PUZZLE_H

/*
 * Random puzzles for solvers: chains of events, edges, Booleans, clauses. One
 * puzzle is put before any number of solvers in the same words, and a solution
 * is checked against the clauses by itself.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore/solver.h"
#include "format/rng.h"

enum {
	PUZZLE_EVENTS = 64,
	PUZZLE_ITEMS = 256,
	PUZZLE_CLAUSES = 400,
	PUZZLE_WIDTH = 3,
};

/* A Boolean of the puzzle: free, or "a before b". */
struct puzzle_item {
	bool is_order;
	uint32_t a, b;
};

/* A literal of the puzzle: 2 * item + 1 if negated. */
struct puzzle {
	uint32_t chains, events, items, free_items, clauses;
	uint32_t chain[PUZZLE_EVENTS], position[PUZZLE_EVENTS];
	struct puzzle_item item[PUZZLE_ITEMS];
	uint32_t clause[PUZZLE_CLAUSES][PUZZLE_WIDTH];
	uint32_t edge[2]; /* a fixed one; the same event twice: none */
};

struct puzzle_size {
	uint32_t chains, events, pairs, free_items, clauses;
};

static inline void puzzle_pair(struct puzzle *p, struct rng *r)
{
	struct puzzle_item *i = &p->item[p->items++];

	i->is_order = true;
	i->a = rng_below(r, p->events);
	do
		i->b = rng_below(r, p->events);
	while (i->b == i->a);
}

static inline void puzzle_make(struct puzzle *p, struct puzzle_size size,
			       struct rng *r)
{
	uint32_t length[PUZZLE_EVENTS] = { 0 };

	*p = (struct puzzle){ .chains = size.chains,
			      .events = size.events,
			      .items = size.free_items,
			      .free_items = size.free_items,
			      .clauses = size.clauses };
	for (uint32_t e = 0; e < p->events; e++) {
		p->chain[e] = rng_below(r, p->chains);
		p->position[e] = length[p->chain[e]]++;
	}
	for (uint32_t i = 0; i < size.pairs; i++)
		puzzle_pair(p, r);
	for (uint32_t c = 0; c < p->clauses; c++)
		for (uint32_t k = 0; k < PUZZLE_WIDTH; k++)
			p->clause[c][k] = rng_below(r, 2 * p->items);
	/* from an earlier to a later number: no cycle with the chains */
	p->edge[0] = rng_below(r, p->events);
	p->edge[1] = p->edge[0] + rng_below(r, p->events - p->edge[0]);
}

/* A puzzle as one solver knows it. */
struct puzzle_told {
	struct solver *solver;
	literal item[PUZZLE_ITEMS];
};

static inline literal puzzle_literal(const struct puzzle_told *t, uint32_t l)
{
	return t->item[l / 2] ^ (l & 1);
}

static inline void puzzle_tell_clause(const struct puzzle *p,
				      struct puzzle_told *t, uint32_t c)
{
	literal l[PUZZLE_WIDTH];

	for (uint32_t k = 0; k < PUZZLE_WIDTH; k++)
		l[k] = puzzle_literal(t, p->clause[c][k]);
	solver_clause(t->solver, l, PUZZLE_WIDTH);
}

/* Everything but the clauses. */
static inline void puzzle_tell(const struct puzzle *p, enum solver_kind kind,
			       struct puzzle_told *t)
{
	struct err err;

	t->solver = solver_new(kind, p->chains, &err);
	assert_non_null(t->solver);
	for (uint32_t e = 0; e < p->events; e++)
		assert_int_equal(
			solver_event(t->solver, p->chain[e], LITERAL_TRUE), e);
	if (p->edge[0] != p->edge[1])
		solver_edge(t->solver, p->edge[0], p->edge[1]);
	for (uint32_t i = 0; i < p->items; i++)
		t->item[i] = p->item[i].is_order ?
				     solver_before(t->solver, p->item[i].a,
						   p->item[i].b) :
				     solver_variable(t->solver, LITERAL_TRUE);
}

static inline bool puzzle_holds(const struct puzzle *p, uint32_t l,
				const uint32_t *place, uint64_t free_values)
{
	const struct puzzle_item *i = &p->item[l / 2];
	bool value = i->is_order ? place[i->a] < place[i->b] :
				   free_values >> l / 2 & 1;

	return value ^ (l & 1);
}

/* Do the order and the free Booleans fulfil the first clauses? */
static inline bool puzzle_is_solved(const struct puzzle *p, uint32_t clauses,
				    const uint32_t *place, uint64_t free_values)
{
	if (place[p->edge[0]] > place[p->edge[1]])
		return false;
	for (uint32_t c = 0; c < clauses; c++) {
		bool holds = false;

		for (uint32_t k = 0; k < PUZZLE_WIDTH; k++)
			holds |= puzzle_holds(p, p->clause[c][k], place,
					      free_values);
		if (!holds)
			return false;
	}
	return true;
}

/* Fails the test unless the solver's last solution is one. */
static inline void puzzle_check(const struct puzzle *p,
				const struct puzzle_told *t, uint32_t clauses,
				const uint32_t *assumed, uint32_t count)
{
	const uint32_t *sequence = solver_sequence(t->solver);
	uint32_t place[PUZZLE_EVENTS], next[PUZZLE_EVENTS] = { 0 };
	uint64_t free_values = 0;

	for (uint32_t i = 0; i < p->events; i++) {
		uint32_t e = sequence[i];

		assert_int_equal(next[p->chain[e]]++, p->position[e]);
		place[e] = i;
	}
	for (uint32_t i = 0; i < p->items; i++) {
		bool value = solver_value(t->solver, t->item[i]);

		if (p->item[i].is_order)
			assert_int_equal(value, place[p->item[i].a] <
							place[p->item[i].b]);
		else
			free_values |= (uint64_t)value << i;
	}
	assert_true(puzzle_is_solved(p, clauses, place, free_values));
	for (uint32_t i = 0; i < count; i++)
		assert_true(puzzle_holds(p, assumed[i], place, free_values));
}

/* Asks under assumptions, and checks the solution if there is one. */
static inline enum solver_answer puzzle_ask(const struct puzzle *p,
					    struct puzzle_told *t,
					    uint32_t clauses,
					    const uint32_t *assumed,
					    uint32_t count)
{
	literal l[8];
	enum solver_answer answer;

	for (uint32_t i = 0; i < count; i++)
		l[i] = puzzle_literal(t, assumed[i]);
	answer = solver_solve(t->solver, l, count, 0);
	assert_int_not_equal(answer, SOLVER_UNKNOWN);
	if (answer == SOLVER_YES)
		puzzle_check(p, t, clauses, assumed, count);
	return answer;
}

#endif
