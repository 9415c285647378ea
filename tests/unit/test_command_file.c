/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void words_are_words(void **state)
{
	struct command_file f;
	struct err err;

	(void)state;
	assert_int_equal(command_file_parse(&f,
					    "# no\n\n./a  b\\ c 'd \"e' \"f "
					    "'g\" \"\"\r\n  ./h\n",
					    "file", &err),
			 0);
	assert_int_equal(f.commands.count, 2);
	assert_int_equal(f.commands.at[0].line, 3);
	assert_int_equal(f.commands.at[0].words.count, 6);
	assert_string_equal(f.commands.at[0].words.at[1], "b c");
	assert_string_equal(f.commands.at[0].words.at[2], "d \"e");
	assert_string_equal(f.commands.at[0].words.at[3], "f 'g");
	assert_string_equal(f.commands.at[0].words.at[4], "");
	assert_null(f.commands.at[0].words.at[5]);
	assert_string_equal(f.commands.at[1].words.at[0], "./h");
	command_file_done(&f);
}

static void what_is_wrong_is_told(void **state)
{
	struct command_file f;
	struct err err;

	(void)state;
	assert_int_equal(command_file_parse(&f, "a\nb 'c\n", "file", &err), -1);
	assert_string_equal(err.text, "file:2: a quotation has no end");
	command_file_done(&f);
	assert_int_equal(command_file_parse(&f, "# a\n", "file", &err), -1);
	assert_non_null(strstr(err.text, "no command"));
	command_file_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_words),
		cmocka_unit_test(what_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
