/* SPDX-License-Identifier: Apache-2.0 */
/* Halving finds what looking at one after the other finds, and looks at few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bisect.h"

enum { MOST = 70 };

static size_t one_by_one(const int *at, size_t from, size_t to, int key)
{
	while (from < to && at[from] < key)
		from++;
	return from;
}

/* Runs of equal numbers, all beginnings and ends, keys between and beyond. */
static void test_as_one_by_one(void **state)
{
	int at[MOST];

	(void)state;
	for (int i = 0; i < MOST; i++)
		at[i] = 2 * (i / 3);
	for (size_t from = 0; from <= MOST; from++)
		for (size_t to = from; to <= MOST; to++)
			for (int key = -1; key <= 2 * (MOST / 3) + 1; key++)
				assert_int_equal(bisect(i, from, to,
							at[i] < key),
						 one_by_one(at, from, to, key));
}

static void test_end_before_beginning_is_empty(void **state)
{
	(void)state;
	assert_int_equal(bisect(i, 5, 3, i < 100), 5);
}

static void test_asks_about_few(void **state)
{
	size_t asked = 0;

	(void)state;
	assert_int_equal(bisect(i, 0, SIZE_MAX, (asked++, i < 12345678)),
			 12345678);
	assert_true(asked <= 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_one_by_one),
		cmocka_unit_test(test_end_before_beginning_is_empty),
		cmocka_unit_test(test_asks_about_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
