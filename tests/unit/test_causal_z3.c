/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The causal model over our solver and over the reference: the same answers to
 * more than ten thousand questions, and every schedule of both passes the
 * simulator (the model answers "unknown" and counts it as wrong otherwise).
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore/causal.h"
#include "random_run.h"

struct tally {
	uint64_t asked, yes;
};

static bool has_reference(void)
{
	struct err err;
	struct solver *s = solver_new(SOLVER_Z3, 1, &err);

	solver_free(s);
	return s;
}

static struct causal *model(const struct causal_trace *t, enum solver_kind kind)
{
	struct err err;
	struct causal *m = causal_new(t, kind, &err);

	assert_non_null(m);
	return m;
}

static void compare(const struct causal_trace *t, struct tally *tally)
{
	struct causal *ours = model(t, SOLVER_ORDER);
	struct causal *theirs = model(t, SOLVER_Z3);
	struct causal_schedule schedule = { 0 };
	const struct causal_target *targets;
	size_t count = causal_targets(ours, &targets);

	for (size_t i = 0; i < count; i++) {
		enum solver_answer answer =
			causal_ask(ours, &targets[i], NULL, 0, &schedule);

		assert_int_not_equal(answer, SOLVER_UNKNOWN);
		assert_int_equal(answer, causal_ask(theirs, &targets[i], NULL,
						    0, &schedule));
		tally->yes += answer == SOLVER_YES;
	}
	tally->asked += count;
	assert_int_equal(causal_counts(ours)->wrong, 0);
	assert_int_equal(causal_counts(theirs)->wrong, 0);
	vec_free(&schedule);
	causal_free(ours);
	causal_free(theirs);
}

static void both_solvers_agree(struct run_size size, uint64_t asked)
{
	struct tally tally = { 0 };

	if (!has_reference())
		skip();
	for (uint64_t seed = 1000; tally.asked < asked; seed++) {
		struct causal_trace t;

		run_make(&t, size, seed);
		compare(&t, &tally);
		causal_trace_done(&t);
	}
	print_message("%" PRIu64 " asked, %" PRIu64 " yes\n", tally.asked,
		      tally.yes);
	assert_true(tally.yes < tally.asked);
}

static void both_agree_about_accesses_and_locks(void **state)
{
	(void)state;
	both_solvers_agree((struct run_size){ .threads = 4,
					      .events = 12,
					      .locations = 3,
					      .values = 3,
					      .locks = 2 },
			   5000);
}

static void both_agree_about_all_synchronisation(void **state)
{
	(void)state;
	both_solvers_agree((struct run_size){ .threads = 4,
					      .events = 10,
					      .locations = 2,
					      .values = 3,
					      .locks = 2,
					      .sync = true,
					      .wide = true,
					      .steps = true,
					      .family = true },
			   5500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_agree_about_accesses_and_locks),
		cmocka_unit_test(both_agree_about_all_synchronisation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
