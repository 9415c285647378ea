/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said to be the cause: only what was confirmed replaces the guess, and
 * files that make no sense replace nothing.
 */
#include "report/cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static const struct culprit nothing = { .kind = CULPRIT_NONE };

static void is_told(const char *located, const char *title, const char *advice)
{
	json_t *j = json_loads(located, 0, NULL);
	struct cause c = cause_find(NULL, &nothing, j);

	assert_non_null(j);
	if (title) {
		assert_non_null(c.confirmed);
		assert_string_equal(c.title, title);
		assert_string_equal(c.advice, advice);
	} else {
		assert_null(c.confirmed);
		assert_null(c.title);
	}
	assert_false(c.has_steps);
	cause_done(&c);
	json_decref(j);
}

static void test_only_what_was_confirmed_is_told(void **state)
{
	(void)state;
	is_told("{\"suspects\":[{\"confirmed\":true,\"kind\":\"order\","
		"\"sentence\":\"s\",\"pairs\":[{\"variable\":\"x\",\"tail\":"
		"{\"file\":\"/a/b.c\",\"line\":7}}]}]}",
		"order violation on `x` (b.c:7)", "s");
	is_told("{\"suspects\":[{\"confirmed\":true,\"kind\":"
		"\"atomicity-multi\",\"sentence\":\"s\",\"pairs\":"
		"[{\"variable\":\"x\"},{\"variable\":\"y\"}]}]}",
		"atomicity violation on `x` and `y`", "s");
	is_told("{\"suspects\":[{\"confirmed\":false,\"kind\":\"order\","
		"\"sentence\":\"s\",\"pairs\":[{\"variable\":\"x\"}]}]}",
		NULL, NULL);
}

static void test_nonsense_is_not_told(void **state)
{
	(void)state;
	is_told("{}", NULL, NULL);
	is_told("{\"suspects\":7}", NULL, NULL);
	is_told("{\"suspects\":[{\"confirmed\":true}]}", NULL, NULL);
	is_told("{\"suspects\":[{\"confirmed\":true,\"sentence\":1,"
		"\"pairs\":[]}]}",
		NULL, NULL);
	is_told("{\"suspects\":[{\"confirmed\":true,\"sentence\":\"s\","
		"\"pairs\":[3]}]}",
		"atomicity violation on `?` (?)", "s");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_was_confirmed_is_told),
		cmocka_unit_test(test_nonsense_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
