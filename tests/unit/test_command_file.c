/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "format/rng.h"

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

/* What is quoted for a shell is read back as it was. */
static void quoted_words_come_back(void **state)
{
	static const char letters[] = "ab '\"\\$#*~\x80\x01\n\x9b";
	struct rng rng = rng_seeded(1);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char words[3][8], *text;
		struct command_file f;
		struct err err;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fputs("./a", out);
		for (int w = 0; w < 3; w++) {
			size_t n = rng_below(&rng, 7);

			for (size_t k = 0; k < n; k++)
				words[w][k] = letters[rng_below(
					&rng, sizeof(letters) - 1)];
			words[w][n] = '\0';
			putc(' ', out);
			quote_word(words[w], out);
		}
		fclose(out);
		assert_int_equal(command_file_parse(&f, text, "file", &err), 0);
		assert_int_equal(f.commands.at[0].words.count, 5);
		for (int w = 0; w < 3; w++)
			assert_string_equal(f.commands.at[0].words.at[w + 1],
					    words[w]);
		command_file_done(&f);
		free(text);
	}
}

/* Anything is read or refused. */
static void noise_is_survived(void **state)
{
	struct rng rng = rng_seeded(2);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[33];
		struct command_file f;
		struct err err;
		size_t n = rng_below(&rng, 32);
		int rc;

		for (size_t k = 0; k < n; k++)
			text[k] = "a '\"\\\n#"[rng_below(&rng, 7)];
		text[n] = '\0';
		rc = command_file_parse(&f, text, "file", &err);
		assert_true(rc < 0 || f.commands.count > 0);
		command_file_done(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_words),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(quoted_words_come_back),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
