/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of sequences, against a search that tries every edit. */
#include "format/edit_distance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/rng.h"

/* By its definition: leave out, put in or replace the first element. */
static uint32_t brute(const uint32_t *a, uint32_t n, const uint32_t *b,
		      uint32_t m)
{
	uint32_t gone, came, other;

	if (!n || !m)
		return n + m;
	gone = brute(a + 1, n - 1, b, m) + 1;
	came = brute(a, n, b + 1, m - 1) + 1;
	other = brute(a + 1, n - 1, b + 1, m - 1) + (*a != *b);
	return edit_least(gone, came, other);
}

static void is_least(void **state)
{
	struct rng rng = rng_fork(1, 1);

	(void)state;
	for (int i = 0; i < 3000; i++) {
		uint32_t a[6], b[6], n = rng_below(&rng, 7),
				     m = rng_below(&rng, 7);

		for (uint32_t k = 0; k < 6; k++) {
			a[k] = rng_below(&rng, 3);
			b[k] = rng_below(&rng, 3);
		}
		assert_int_equal(edit_distance(a, n, b, m), brute(a, n, b, m));
	}
}

static void is_a_metric(void **state)
{
	struct rng rng = rng_fork(2, 1);

	(void)state;
	for (int i = 0; i < 500; i++) {
		uint32_t s[3][20], n[3], ab, bc, ac;

		for (int k = 0; k < 3; k++) {
			n[k] = rng_below(&rng, 21);
			for (uint32_t j = 0; j < n[k]; j++)
				s[k][j] = rng_below(&rng, 4);
		}
		ab = edit_distance(s[0], n[0], s[1], n[1]);
		bc = edit_distance(s[1], n[1], s[2], n[2]);
		ac = edit_distance(s[0], n[0], s[2], n[2]);
		assert_int_equal(ab, edit_distance(s[1], n[1], s[0], n[0]));
		assert_int_equal(edit_distance(s[0], n[0], s[0], n[0]), 0);
		assert_true(ac <= ab + bc);
	}
}

static void long_ones_are_cut(void **state)
{
	uint32_t a[EDIT_MOST + 9] = { 0 }, b[EDIT_MOST + 9] = { 0 };

	(void)state;
	a[EDIT_MOST + 1] = 7;
	assert_int_equal(edit_distance(a, EDIT_MOST + 9, b, EDIT_MOST + 9), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_least),
		cmocka_unit_test(is_a_metric),
		cmocka_unit_test(long_ones_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
