/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/suppress.h"

static struct suppressions *parse(const char *text)
{
	struct err err = { "" };
	struct suppressions *s = suppressions_parse("list", text, &err);

	if (!s)
		fail_msg("%s", err.text);
	return s;
}

static void refuse(const char *text, const char *words)
{
	struct err err = { "" };

	assert_null(suppressions_parse("list", text, &err));
	if (!strstr(err.text, words))
		fail_msg("\"%s\" instead of \"%s\"", err.text, words);
}

static void lines_become_suppressions(void **state)
{
	struct suppressions *s = parse("# a comment\n"
				       "\n"
				       "race: function=log_*\n"
				       "  race:\tfile=*/zlib/*  \r\n"
				       "race: variable=stats.*\n"
				       "deadlock: function=a, b\n"
				       "deadlock:file=x.c");

	(void)state;
	assert_int_equal(suppressions_count(s), 5);
	assert_int_equal(suppressions_get(s, 0)->finding, SUPPRESS_RACE);
	assert_int_equal(suppressions_get(s, 0)->by, SUPPRESS_FUNCTION);
	assert_int_equal(suppressions_get(s, 0)->line, 3);
	assert_string_equal(suppressions_get(s, 0)->pattern, "log_*");
	assert_int_equal(suppressions_get(s, 1)->by, SUPPRESS_FILE);
	assert_string_equal(suppressions_get(s, 1)->pattern, "*/zlib/*");
	assert_int_equal(suppressions_get(s, 2)->by, SUPPRESS_VARIABLE);
	assert_int_equal(suppressions_get(s, 3)->finding, SUPPRESS_DEADLOCK);
	assert_string_equal(suppressions_get(s, 3)->pattern, "a, b");
	assert_string_equal(suppressions_get(s, 4)->pattern, "x.c");
	suppressions_free(s);
}

static void an_empty_list_is_a_list(void **state)
{
	struct suppressions *s = parse("");

	(void)state;
	assert_int_equal(suppressions_count(s), 0);
	suppressions_free(s);
	s = parse("\n# nothing\n");
	assert_int_equal(suppressions_count(s), 0);
	suppressions_free(s);
}

static void mistakes_are_told_with_file_and_line(void **state)
{
	(void)state;
	refuse("race: function=a\nraces: function=b\n", "list:2: ");
	refuse("race function=b\n", "list:1: ");
	refuse("\n\nrace: functions=b\n", "list:3: expected function=");
	refuse("race: \n", "list:1: expected function=");
	refuse("race: file=\n", "list:1: the pattern is empty");
	refuse("race: file=   \n", "list:1: the pattern is empty");
}

static void a_missing_file_is_named(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_null(suppressions_read("/nowhere/list", &err));
	assert_non_null(strstr(err.text, "/nowhere/list"));
}

static void a_file_is_read(void **state)
{
	char path[] = "/tmp/heddle-suppress-XXXXXX";
	int fd = mkstemp(path);
	static const char text[] = "race: function=x\n";
	struct err err = { "" };
	struct suppressions *s;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	s = suppressions_read(path, &err);
	unlink(path);
	assert_non_null(s);
	assert_int_equal(suppressions_count(s), 1);
	suppressions_free(s);
}

static void patterns_match_names_files_and_variables(void **state)
{
	struct suppressions *s = parse("race: function=log_*\n"
				       "race: file=*/zlib/*\n"
				       "race: file=list.c\n"
				       "race: variable=stats.*\n");
	struct frame frame = { .function = "log_line",
			       .file = "/src/zlib/inflate.c" };
	struct frame other = { .function = "xlog_line", .file = "/src/list.c" };
	struct frame unknown = { 0 };

	(void)state;
	assert_true(suppression_names_frame(suppressions_get(s, 0), &frame));
	assert_false(suppression_names_frame(suppressions_get(s, 0), &other));
	assert_true(suppression_names_frame(suppressions_get(s, 1), &frame));
	assert_false(suppression_names_frame(suppressions_get(s, 1), &other));
	assert_false(suppression_names_frame(suppressions_get(s, 2), &frame));
	assert_true(suppression_names_frame(suppressions_get(s, 2), &other));
	assert_false(suppression_names_frame(suppressions_get(s, 3), &frame));
	for (size_t i = 0; i < 4; i++)
		assert_false(suppression_names_frame(suppressions_get(s, i),
						     &unknown));
	assert_true(suppression_names_variable(suppressions_get(s, 3),
					       "stats.hits"));
	assert_false(
		suppression_names_variable(suppressions_get(s, 3), "stats"));
	assert_false(suppression_names_variable(suppressions_get(s, 3), NULL));
	assert_false(
		suppression_names_variable(suppressions_get(s, 0), "log_x"));
	suppressions_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_suppressions),
		cmocka_unit_test(an_empty_list_is_a_list),
		cmocka_unit_test(mistakes_are_told_with_file_and_line),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(patterns_match_names_files_and_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
