/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/keymap.h"

static void keys_keep_their_numbers_while_the_table_grows(void **state)
{
	struct keymap m = { 0 };

	(void)state;
	for (uint32_t i = 1; i <= 3000; i++)
		*keymap_at(&m, i % 50, i / 50) = i;
	for (uint32_t i = 1; i <= 3000; i++)
		assert_int_equal(*keymap_at(&m, i % 50, i / 50), i);
	assert_int_equal(m.count, 3000);
	keymap_done(&m);
}

static void a_key_left_at_zero_is_not_in(void **state)
{
	struct keymap m = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(*keymap_at(&m, i, 7), 0);
	*keymap_at(&m, 5, 7) = 1;
	assert_int_equal(*keymap_at(&m, 5, 7), 1);
	assert_int_equal(*keymap_at(&m, 7, 5), 0);
	keymap_done(&m);
}

static void asking_does_not_make_it_grow(void **state)
{
	struct keymap m = { 0 };
	size_t room;

	(void)state;
	for (uint32_t i = 1; i <= 100; i++)
		*keymap_at(&m, i, 0) = i;
	room = m.room;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(*keymap_at(&m, 1000 + i % 100, 0), 0);
	assert_true(m.room <= 2 * room);
	for (uint32_t i = 1; i <= 100; i++)
		assert_int_equal(keymap_find(&m, i, 0), i);
	keymap_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_keep_their_numbers_while_the_table_grows),
		cmocka_unit_test(a_key_left_at_zero_is_not_in),
		cmocka_unit_test(asking_does_not_make_it_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
