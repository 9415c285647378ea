/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/vclock.h"

enum { THREADS = 40, ROUNDS = 400 };

static uint64_t seed = 7;

static uint64_t draw(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* Few values, so that clocks are often related. */
static struct vclock any_clock(void)
{
	struct vclock c = { 0 };

	for (uint64_t n = draw(12); n; n--)
		vclock_set(&c, (uint32_t)draw(THREADS), draw(4));
	return c;
}

static struct vclock joined(const struct vclock *a, const struct vclock *b)
{
	struct vclock c = { 0 };

	vclock_copy(&c, a);
	vclock_join(&c, b);
	return c;
}

static void join_is_the_maximum_of_every_component(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct vclock a = any_clock(), b = any_clock();
		struct vclock c = joined(&a, &b);

		for (uint32_t t = 0; t < THREADS + 20; t++) {
			uint64_t x = vclock_get(&a, t), y = vclock_get(&b, t);

			assert_int_equal(vclock_get(&c, t), x > y ? x : y);
		}
		vclock_done(&a);
		vclock_done(&b);
		vclock_done(&c);
	}
}

static void join_is_commutative_and_idempotent(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct vclock a = any_clock(), b = any_clock();
		struct vclock ab = joined(&a, &b), ba = joined(&b, &a);
		struct vclock aa = joined(&a, &a);

		assert_true(vclock_is_equal(&ab, &ba));
		assert_true(vclock_is_equal(&aa, &a));
		vclock_done(&a);
		vclock_done(&b);
		vclock_done(&ab);
		vclock_done(&ba);
		vclock_done(&aa);
	}
}

static void join_is_associative(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct vclock a = any_clock(), b = any_clock();
		struct vclock c = any_clock();
		struct vclock ab = joined(&a, &b), bc = joined(&b, &c);
		struct vclock left = joined(&ab, &c), right = joined(&a, &bc);

		assert_true(vclock_is_equal(&left, &right));
		vclock_done(&a);
		vclock_done(&b);
		vclock_done(&c);
		vclock_done(&ab);
		vclock_done(&bc);
		vclock_done(&left);
		vclock_done(&right);
	}
}

static void within_is_a_partial_order(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct vclock a = any_clock(), b = any_clock();
		struct vclock c = any_clock();
		struct vclock ab = joined(&a, &b);
		bool ab_in = vclock_is_within(&a, &b);
		bool ba_in = vclock_is_within(&b, &a);

		assert_true(vclock_is_within(&a, &a));
		assert_int_equal(ab_in && ba_in, vclock_is_equal(&a, &b));
		if (ab_in && vclock_is_within(&b, &c))
			assert_true(vclock_is_within(&a, &c));
		assert_int_equal(ab_in, vclock_is_equal(&ab, &b));
		assert_true(vclock_is_within(&a, &ab));
		vclock_done(&a);
		vclock_done(&b);
		vclock_done(&c);
		vclock_done(&ab);
	}
}

static void a_copy_is_independent(void **state)
{
	struct vclock a = { 0 }, b = { 0 };

	(void)state;
	vclock_set(&a, 3, 5);
	vclock_set(&a, 30, 1);
	vclock_copy(&b, &a);
	vclock_set(&a, 3, 6);
	vclock_set(&b, 4, 7);
	assert_int_equal(vclock_get(&a, 3), 6);
	assert_int_equal(vclock_get(&a, 4), 0);
	assert_int_equal(vclock_get(&b, 3), 5);
	assert_int_equal(vclock_get(&b, 4), 7);
	vclock_done(&a);
	vclock_copy(&b, &a);
	assert_int_equal(vclock_get(&b, 30), 0);
	vclock_done(&b);
}

static void an_epoch_is_before_clocks_that_have_more(void **state)
{
	struct vclock c = { 0 };

	(void)state;
	vclock_set(&c, 70000, 3);
	assert_true(epoch_is_before(epoch_make(70000, 2), &c));
	assert_false(epoch_is_before(epoch_make(70000, 3), &c));
	assert_false(epoch_is_before(epoch_make(1, 0), &c));
	assert_int_equal(epoch_thread(epoch_make(70000, 9)), 70000);
	assert_int_equal(epoch_segment(epoch_make(70000, 9)), 9);
	vclock_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(join_is_the_maximum_of_every_component),
		cmocka_unit_test(join_is_commutative_and_idempotent),
		cmocka_unit_test(join_is_associative),
		cmocka_unit_test(within_is_a_partial_order),
		cmocka_unit_test(a_copy_is_independent),
		cmocka_unit_test(an_epoch_is_before_clocks_that_have_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
