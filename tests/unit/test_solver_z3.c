/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our solver and the reference give the same answers, on puzzles too large for
 * trying everything.
 */
#include "order_puzzle.h"

enum { PUZZLES = 250, QUESTIONS = 20 };

static void both_solvers_agree(void **state)
{
	struct rng r = rng_seeded(11);
	uint32_t yes = 0;
	struct err err;
	struct solver *probe = solver_new(SOLVER_Z3, 1, &err);

	(void)state;
	if (!probe)
		skip();
	solver_free(probe);
	for (int round = 0; round < PUZZLES; round++) {
		struct puzzle_told ours, theirs;
		struct puzzle p;
		uint32_t told = 0;

		puzzle_make(&p, (struct puzzle_size){ 4, 24, 60, 10, 120 }, &r);
		puzzle_tell(&p, SOLVER_ORDER, &ours);
		puzzle_tell(&p, SOLVER_Z3, &theirs);
		for (uint32_t q = 0; q < QUESTIONS; q++) {
			uint32_t assumed[3];
			enum solver_answer answer;

			for (; told < (q + 1) * p.clauses / QUESTIONS; told++) {
				puzzle_tell_clause(&p, &ours, told);
				puzzle_tell_clause(&p, &theirs, told);
			}
			for (int i = 0; i < 3; i++)
				assumed[i] = rng_below(&r, 2 * p.items);
			answer = puzzle_ask(&p, &ours, told, assumed, 3);
			assert_int_equal(answer, puzzle_ask(&p, &theirs, told,
							    assumed, 3));
			yes += answer == SOLVER_YES;
		}
		solver_free(ours.solver);
		solver_free(theirs.solver);
	}
	print_message("%u of %u solvable\n", yes, PUZZLES * QUESTIONS);
	assert_in_range(yes, PUZZLES, (QUESTIONS - 1) * PUZZLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_solvers_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
