/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shell that reads the quoted word has the word, and a terminal that prints
 * it does nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quote.h"
#include "base/xalloc.h"

static char *quoted(const char *word)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	quote_word(word, out);
	fclose(out);
	return text;
}

static void expect(const char *word, const char *wanted)
{
	char *got = quoted(word);

	assert_string_equal(got, wanted);
	free(got);
}

static void test_plain_words_stay(void **state)
{
	(void)state;
	expect("./prog", "./prog");
	expect("--jobs=4", "--jobs=4");
	expect("caf\xc3\xa9", "caf\xc3\xa9");
}

static void test_others_are_quoted(void **state)
{
	(void)state;
	expect("", "''");
	expect("a b", "'a b'");
	expect("$HOME", "'$HOME'");
	expect("it's", "'it'\\''s'");
	expect("~", "'~'");
	expect("\033[2J'\\", "$'\\033[2J\\'\\\\'");
	expect("a\x9b"
	       "2J",
	       "$'a\\2332J'");
	expect("\xc2\x9b"
	       "2J\xc3\x9b",
	       "$'\\302\\2332J\xc3\x9b'");
}

static void cleaned(const char *text, const char *wanted)
{
	char *got = xstrdup(text);

	quote_clean(got);
	assert_string_equal(got, wanted);
	assert_int_equal(quote_is_clean(text),
			 strcmp(text, wanted) == 0 && !strchr(text, '\n'));
	free(got);
}

static void test_text_is_cleaned(void **state)
{
	(void)state;
	cleaned("plain, \tcaf\xc3\xa9 \xe2\x9b\xb5 \xf0\x9f\x90\x9b\n",
		"plain, \tcaf\xc3\xa9 \xe2\x9b\xb5 \xf0\x9f\x90\x9b\n");
	cleaned("\xe2\x9b\xb5", "\xe2\x9b\xb5");
	cleaned("\033[2J\177", "?[2J?");
	cleaned("a\x9b"
		"31m",
		"a?31m");
	cleaned("\xc2\x9b"
		"31m",
		"??31m");
	/* The beginning of a character that does not go on. */
	cleaned("\xe2\x9b"
		"31m",
		"\xe2?31m");
	cleaned("\xe2", "\xe2");
	/* What is no UTF-8 at all is no command. */
	cleaned("caf\xe9", "caf\xe9");
}

/* Every byte, as bash reads it back. */
static void test_shell_reads_it_back(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		char word[] = { 'a', (char)c, '1', '\0' };
		char *text = quoted(word);
		char *command = xasprintf("printf %%s %s", text);
		char got[16] = "";
		FILE *in;

		setenv("HEDDLE_TEST_WORD", command, 1);
		in = popen("LC_ALL=C bash -c \"$HEDDLE_TEST_WORD\"", "r");
		assert_non_null(in);
		assert_int_equal(fread(got, 1, sizeof(got) - 1, in), 3);
		assert_int_equal(pclose(in), 0);
		assert_memory_equal(got, word, 3);
		free(command);
		free(text);
		c += c >= 0x80 ? 16 : 0; /* these are all alike */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_words_stay),
		cmocka_unit_test(test_others_are_quoted),
		cmocka_unit_test(test_text_is_cleaned),
		cmocka_unit_test(test_shell_reads_it_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
