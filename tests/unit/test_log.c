/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/log.h"

static struct err err;

static void setup(const char *text)
{
	assert_int_equal(log_setup(text, &err), 0);
}

static void warnings_are_on_and_the_rest_is_off(void **state)
{
	(void)state;
	assert_true(log_is_on(LOG_WARN, "/x/src/trial/watch.c"));
	assert_false(log_is_on(LOG_INFO, "/x/src/trial/watch.c"));
}

static void a_room_has_its_own_level(void **state)
{
	(void)state;
	setup("error,trial:debug");
	assert_true(log_is_on(LOG_DEBUG, "/x/src/trial/watch.c"));
	assert_false(log_is_on(LOG_WARN, "/x/src/trace/site.c"));
	assert_true(log_is_on(LOG_ERROR, "/x/src/trace/site.c"));
	assert_false(log_is_on(LOG_DEBUG, "/x/src/trials/watch.c"));
	assert_false(log_is_on(LOG_DEBUG, "trial"));
}

static void more_raises_what_is_not_named(void **state)
{
	(void)state;
	setup("warn,trial:error");
	log_more();
	assert_true(log_is_on(LOG_INFO, "src/cli/main.c"));
	assert_false(log_is_on(LOG_INFO, "src/trial/watch.c"));
}

static void nonsense_is_refused_by_name(void **state)
{
	(void)state;
	assert_int_equal(log_setup("warn,trial:loud", &err), -1);
	assert_non_null(strstr(err.text, "'trial:loud'"));
	assert_int_equal(log_setup(",", &err), -1);
	assert_int_equal(log_setup("", &err), 0);
	assert_int_equal(log_setup(NULL, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warnings_are_on_and_the_rest_is_off),
		cmocka_unit_test(a_room_has_its_own_level),
		cmocka_unit_test(more_raises_what_is_not_named),
		cmocka_unit_test(nonsense_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
