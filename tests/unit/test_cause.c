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

/* Of another run the address means nothing; the line does. Every mention in the
 * sentence is made better. */
static void test_memory_is_named_by_the_witness(void **state)
{
	static const char block[] = "heap block of 8 bytes allocated at b.c:1";
	struct witness_place place = { .file = "/a/b.c", .line = 7 };
	struct witness_location where = { .name = (char *)(uintptr_t)block,
					  .kind = LOCATION_HEAP };
	struct witness_step step = { .address = 0x1000 };
	struct witness w = {
		.places = { .at = &place, .count = 1 },
		.locations = { .at = &where, .count = 1 },
		.steps = { .at = &step, .count = 1 },
	};
	json_t *j = json_loads(
		"{\"suspects\":[{\"confirmed\":true,\"kind\":\"atomicity\","
		"\"sentence\":\"memory at 0x5, memory at 0x5\",\"pairs\":"
		"[{\"variable\":\"memory at 0x5\",\"address\":5,\"tail\":"
		"{\"file\":\"/a/b.c\",\"line\":7}}]}]}",
		0, NULL);
	struct cause c = cause_find(&w, &nothing, j);

	(void)state;
	assert_string_equal(c.title,
			    "atomicity violation on `heap block of 8 bytes "
			    "allocated at b.c:1` (b.c:7)");
	assert_string_equal(c.advice, "heap block of 8 bytes allocated at "
				      "b.c:1, heap block of 8 bytes allocated "
				      "at b.c:1");
	cause_done(&c);
	json_decref(j);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_was_confirmed_is_told),
		cmocka_unit_test(test_nonsense_is_not_told),
		cmocka_unit_test(test_memory_is_named_by_the_witness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
