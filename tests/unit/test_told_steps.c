/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which steps of a long run are told: as many as may be, and the cause in any
 * case.
 */
#include "report/told_steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

/* Two threads in turn, `each` steps at a time. */
static struct witness *witness_of(uint32_t count, uint32_t each)
{
	static char names[][2] = { "a", "b" };
	struct witness *w = xcalloc(1, sizeof(*w));

	for (int i = 0; i < 2; i++)
		vec_push(&w->threads, names[i]);
	for (uint32_t i = 0; i < count; i++) {
		vec_push(&w->steps,
			 (struct witness_step){ .thread = i / each % 2,
						.location = i });
		vec_push(&w->locations, (struct witness_location){ 0 });
		if (i && i % each == 0)
			vec_push(&w->switches,
				 (struct witness_switch){ .step = i });
	}
	return w;
}

static void done(struct witness *w)
{
	vec_free(&w->threads);
	vec_free(&w->steps);
	vec_free(&w->locations);
	vec_free(&w->switches);
	free(w);
}

static bool is_told(const struct told_steps *t, uint32_t step)
{
	return told_steps_number(t, step) != WITNESS_NONE;
}

static uint64_t skipped(const struct told_steps *t, const struct witness *w)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < t->count; i++)
		all += told_steps_skipped(t, w, i);
	return all;
}

static void few_are_told_all(void **state)
{
	static const uint32_t counts[] = { 0, 1, TOLD_STEPS_MOST };
	const struct culprit none = { .kind = CULPRIT_NONE };

	(void)state;
	for (size_t n = 0; n < 3; n++) {
		struct witness *w = witness_of(counts[n], 7);
		struct told_steps t = told_steps_choose(w, &none);

		assert_int_equal(t.count, counts[n]);
		assert_int_equal(skipped(&t, w), 0);
		told_steps_done(&t);
		done(w);
	}
}

static void of_many_the_cause_is_told(void **state)
{
	const struct culprit c = { CULPRIT_ATOMICITY, 30000, 60000, 90001 };
	static const uint32_t eaches[] = { 1, 3, 1000, 1000000 };

	(void)state;
	for (size_t n = 0; n < 4; n++) {
		struct witness *w = witness_of(100000, eaches[n]);
		struct told_steps t = told_steps_choose(w, &c);

		assert_int_equal(t.count, TOLD_STEPS_MOST);
		assert_true(is_told(&t, 0));
		assert_true(is_told(&t, 29990) && is_told(&t, 30010));
		assert_true(is_told(&t, 59990) && is_told(&t, 60010));
		assert_true(is_told(&t, 89990) && is_told(&t, 90010));
		assert_true(is_told(&t, 99999));
		assert_false(is_told(&t, 20500));
		assert_int_equal(t.at[told_steps_number(&t, 60000)], 60000);
		assert_int_equal(told_steps_location(&t, 60000),
				 told_steps_number(&t, 60000));
		w->left_out = 5;
		assert_int_equal(skipped(&t, w), 100005 - t.count);
		told_steps_done(&t);
		done(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_told_all),
		cmocka_unit_test(of_many_the_cause_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
