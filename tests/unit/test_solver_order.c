/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our solver against the definition: all orders and all values tried one by
 * one, on puzzles small enough for that.
 */
#include "order_puzzle.h"

#include <string.h>

/* Is there a solution among all orders that begin with those `done` places? */
static bool try_orders(const struct puzzle *p, uint32_t clauses,
		       uint32_t *place, uint32_t *next, uint32_t done,
		       const uint32_t *assumed, uint32_t count)
{
	if (done == p->events) {
		for (uint64_t v = 0; v < UINT64_C(1) << p->free_items; v++) {
			bool good = puzzle_is_solved(p, clauses, place, v);

			for (uint32_t i = 0; i < count; i++)
				good &= puzzle_holds(p, assumed[i], place, v);
			if (good)
				return true;
		}
		return false;
	}
	for (uint32_t e = 0; e < p->events; e++) {
		bool found;

		if (next[p->chain[e]] != p->position[e])
			continue;
		place[e] = done;
		next[p->chain[e]]++;
		found = try_orders(p, clauses, place, next, done + 1, assumed,
				   count);
		next[p->chain[e]]--;
		if (found)
			return true;
	}
	return false;
}

static bool has_solution(const struct puzzle *p, uint32_t clauses,
			 const uint32_t *assumed, uint32_t count)
{
	uint32_t place[PUZZLE_EVENTS], next[PUZZLE_EVENTS] = { 0 };

	return try_orders(p, clauses, place, next, 0, assumed, count);
}

/* Clauses are added between the questions, so what was learnt must stay
 * right. */
static void answers_are_those_of_brute_force(void **state)
{
	struct rng r = rng_seeded(7);
	uint32_t yes = 0, no = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct puzzle p;
		struct puzzle_told t;

		puzzle_make(&p,
			    (struct puzzle_size){ 2 + rng_below(&r, 2), 6,
						  4 + rng_below(&r, 8), 2, 40 },
			    &r);
		puzzle_tell(&p, SOLVER_ORDER, &t);
		for (uint32_t c = 0; c < p.clauses; c++) {
			uint32_t assumed[2];
			enum solver_answer answer;

			puzzle_tell_clause(&p, &t, c);
			if (c % 5)
				continue;
			for (int i = 0; i < 2; i++)
				assumed[i] = rng_below(&r, 2 * p.items);
			answer = puzzle_ask(&p, &t, c + 1, assumed, 2);
			assert_int_equal(answer,
					 has_solution(&p, c + 1, assumed, 2) ?
						 SOLVER_YES :
						 SOLVER_NO);
			*(answer == SOLVER_YES ? &yes : &no) += 1;
		}
		solver_free(t.solver);
	}
	assert_true(yes > 200 && no > 200);
}

static struct solver *two_chains(void)
{
	struct err err;
	struct solver *s = solver_new(SOLVER_ORDER, 2, &err);

	assert_non_null(s);
	for (uint32_t i = 0; i < 4; i++)
		solver_event(s, i / 2, LITERAL_TRUE);
	return s;
}

static void chains_and_edges_settle_booleans(void **state)
{
	struct solver *s = two_chains();

	(void)state;
	assert_int_equal(solver_before(s, 0, 1), LITERAL_TRUE);
	assert_int_equal(solver_before(s, 3, 2), LITERAL_FALSE);
	solver_edge(s, 1, 2);
	assert_int_equal(solver_before(s, 0, 3), LITERAL_TRUE);
	assert_int_equal(solver_before(s, 3, 0), LITERAL_FALSE);
	solver_free(s);
}

static void a_cycle_has_no_solution(void **state)
{
	struct solver *s = two_chains();
	literal l[] = { solver_before(s, 1, 2), solver_before(s, 3, 0) };

	(void)state;
	assert_int_equal(solver_solve(s, l, 1, 0), SOLVER_YES);
	assert_int_equal(solver_solve(s, l + 1, 1, 0), SOLVER_YES);
	assert_int_equal(solver_solve(s, l, 2, 0), SOLVER_NO);
	assert_int_equal(solver_solve(s, l, 1, 0), SOLVER_YES);
	solver_free(s);
}

static void the_empty_clause_ends_all(void **state)
{
	struct solver *s = two_chains();

	(void)state;
	assert_int_equal(solver_solve(s, NULL, 0, 0), SOLVER_YES);
	solver_clause(s, NULL, 0);
	assert_int_equal(solver_solve(s, NULL, 0, 0), SOLVER_NO);
	solver_free(s);
}

/* So many pigeons, one hole less: short of a proof the limit is met. */
static void the_limit_is_kept(void **state)
{
	enum { PIGEONS = 9 };
	struct err err;
	struct solver *s = solver_new(SOLVER_ORDER, 0, &err);
	literal in[PIGEONS][PIGEONS - 1];

	(void)state;
	for (int p = 0; p < PIGEONS; p++) {
		for (int h = 0; h < PIGEONS - 1; h++)
			in[p][h] = solver_variable(s, LITERAL_TRUE);
		solver_clause(s, in[p], PIGEONS - 1);
	}
	for (int h = 0; h < PIGEONS - 1; h++)
		for (int p = 0; p < PIGEONS; p++)
			for (int q = 0; q < p; q++)
				solver_clause(
					s,
					(literal[]){ literal_not(in[p][h]),
						     literal_not(in[q][h]) },
					2);
	assert_int_equal(solver_solve(s, NULL, 0, 100), SOLVER_UNKNOWN);
	solver_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_brute_force),
		cmocka_unit_test(chains_and_edges_settle_booleans),
		cmocka_unit_test(a_cycle_has_no_solution),
		cmocka_unit_test(the_empty_clause_ends_all),
		cmocka_unit_test(the_limit_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
