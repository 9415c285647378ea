/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/suggest.h"

static void distances_are_those_of_hand_work(void **state)
{
	(void)state;
	assert_int_equal(suggest_distance("", "", 9), 0);
	assert_int_equal(suggest_distance("", "abc", 9), 3);
	assert_int_equal(suggest_distance("kitten", "sitting", 9), 3);
	assert_int_equal(suggest_distance("rnu", "run", 9), 1);
	assert_int_equal(suggest_distance("kitten", "sitting", 1), 2);
}

static void distance_is_symmetric(void **state)
{
	static const char *const words[] = { "run",	 "",	   "observe",
					     "obvserve", "doctor", "cotdor" };
	size_t n = sizeof(words) / sizeof(*words);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			assert_int_equal(
				suggest_distance(words[i], words[j], 50),
				suggest_distance(words[j], words[i], 50));
}

static const char *nearest(const char *word)
{
	struct suggest s = { .word = word };

	suggest_offer(&s, "run");
	suggest_offer(&s, "doctor");
	suggest_offer(&s, "completion");
	return s.nearest;
}

static void the_nearest_word_wins_if_it_is_near(void **state)
{
	(void)state;
	assert_string_equal(nearest("rnu"), "run");
	assert_string_equal(nearest("docter"), "doctor");
	assert_string_equal(nearest("compl"), "completion");
	assert_null(nearest("xyzzy"));
	assert_null(nearest("a-word-that-is-much-longer-than-any-known-one"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_hand_work),
		cmocka_unit_test(distance_is_symmetric),
		cmocka_unit_test(the_nearest_word_wins_if_it_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
