/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trial/outputs.h"

static char *expect_file(const char *text)
{
	static char path[] = "/tmp/heddle-outputs-XXXXXX";
	int fd;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

/* What comes of a text that should have been another. */
static int compared(const char *expected, const char *text, char **why)
{
	char *path = expect_file(expected);
	struct outputs o;
	struct err err;
	int kind;

	assert_int_equal(outputs_init(&o, path, NULL, &err), 0);
	unlink(path);
	kind = outputs_judge(&o, text, strlen(text), 0, why, &err);
	outputs_done(&o);
	return kind;
}

static int checked(const char *command, const char *text, int status,
		   char **why)
{
	struct outputs o;
	struct err err;
	int kind;

	assert_int_equal(outputs_init(&o, NULL, command, &err), 0);
	kind = outputs_judge(&o, text, strlen(text), status, why, &err);
	outputs_done(&o);
	return kind;
}

static void expect_why(const char *expected, const char *text, const char *why)
{
	char *got;

	assert_int_equal(compared(expected, text, &got), OUTCOME_OUTPUT);
	assert_string_equal(got, why);
	free(got);
}

static void the_same_text_is_expected(void **state)
{
	char *why;

	(void)state;
	assert_int_equal(compared("a\nb\n", "a\nb\n", &why), OUTCOME_NONE);
	assert_null(why);
	assert_int_equal(compared("", "", NULL), OUTCOME_NONE);
}

static void the_first_line_that_differs_is_named(void **state)
{
	(void)state;
	expect_why("a\nb\n", "a\nc\n", "line 2 is `c' instead of `b'");
	expect_why("a\nb\n", "a\n", "line 2 is the end instead of `b'");
	expect_why("a\n", "a\nb\n", "line 2 is `b' instead of the end");
	expect_why("a\n", "a", "one ends its last line, the other does not");
	expect_why("", "\n", "line 1 is `' instead of the end");
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
	struct outputs o;
	struct err err;

	(void)state;
	assert_int_equal(outputs_init(&o, "/no/such/file", NULL, &err), -1);
	assert_non_null(strstr(err.text, "/no/such/file"));
}

static void a_check_reads_what_was_printed(void **state)
{
	char *why;

	(void)state;
	assert_int_equal(checked("grep -q two", "one\ntwo\n", 0, &why),
			 OUTCOME_NONE);
	assert_null(why);
	assert_int_equal(checked("grep -q two", "one\n", 0, &why),
			 OUTCOME_CHECK);
	free(why);
}

static void a_check_says_why(void **state)
{
	char *why;

	(void)state;
	assert_int_equal(checked("sh -c 'echo first; echo last; exit 1'", "", 0,
				 &why),
			 OUTCOME_CHECK);
	assert_string_equal(why, "last");
	free(why);
}

static void placeholders_are_filled(void **state)
{
	(void)state;
	assert_int_equal(checked("test {status} = 7", "", 7, NULL),
			 OUTCOME_NONE);
	assert_int_equal(checked("test {status} = 7", "", 0, NULL),
			 OUTCOME_CHECK);
	assert_int_equal(checked("grep -q x {output}", "x", 0, NULL),
			 OUTCOME_NONE);
	assert_int_equal(checked("test 'a{status}b' = a7b", "", 7, NULL),
			 OUTCOME_NONE);
}

static void a_check_that_asks_for_the_status_judges_it(void **state)
{
	struct outputs o;
	struct err err;

	(void)state;
	assert_int_equal(outputs_init(&o, NULL, "test {status} = 7", &err), 0);
	assert_true(o.judges_status);
	outputs_done(&o);
	assert_int_equal(outputs_init(&o, NULL, "true", &err), 0);
	assert_false(o.judges_status);
	outputs_done(&o);
}

static void no_shell_is_between(void **state)
{
	(void)state;
	assert_int_equal(checked("test $HOME = '$HOME'", "", 0, NULL),
			 OUTCOME_NONE);
	assert_int_equal(checked("test 'a b' = \"a b\"", "", 0, NULL),
			 OUTCOME_NONE);
}

static void refused(const char *command, const char *words)
{
	struct outputs o;
	struct err err;

	assert_int_equal(outputs_init(&o, NULL, command, &err), -1);
	assert_non_null(strstr(err.text, words));
}

static void a_command_that_cannot_run_is_refused(void **state)
{
	(void)state;
	refused("no-such-command", "no-such-command");
	refused("  ", "a command");
	refused("test 'a", "a quote that has no end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_text_is_expected),
		cmocka_unit_test(the_first_line_that_differs_is_named),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
		cmocka_unit_test(a_check_reads_what_was_printed),
		cmocka_unit_test(a_check_says_why),
		cmocka_unit_test(placeholders_are_filled),
		cmocka_unit_test(a_check_that_asks_for_the_status_judges_it),
		cmocka_unit_test(no_shell_is_between),
		cmocka_unit_test(a_command_that_cannot_run_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
