/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/xalloc.h"

/* Cuts the text at spaces; the caller ends the line. */
static struct compiler_line parse(const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	struct compiler_line line;
	VEC(char *) argv = { 0 };
	struct err err;

	while ((word = strsep(&rest, " ")))
		if (*word)
			vec_push(&argv, word);
	assert_int_equal(
		compiler_line_init(&line, (int)argv.count, argv.at, &err), 0);
	vec_free(&argv);
	free(copy);
	return line;
}

static void expect_stage(const char *text, enum compiler_stage stage)
{
	struct compiler_line line = parse(text);

	if (line.stage != stage)
		fail_msg("%s: stage %d, not %d", text, line.stage, stage);
	compiler_line_done(&line);
}

static void the_stage_is_the_earliest_named(void **state)
{
	(void)state;
	expect_stage("a.c", STAGE_LINK);
	expect_stage("a.o -lm", STAGE_LINK);
	expect_stage("-c a.c", STAGE_COMPILE);
	expect_stage("a.c -S -o a.s", STAGE_COMPILE);
	expect_stage("-fsyntax-only a.c", STAGE_COMPILE);
	expect_stage("-E a.c", STAGE_PREPROCESS);
	expect_stage("-c -E a.c", STAGE_PREPROCESS);
	expect_stage("-E -c a.c", STAGE_PREPROCESS);
	expect_stage("-M a.c", STAGE_PREPROCESS);
	expect_stage("-MM a.c", STAGE_PREPROCESS);
	expect_stage("-MD -c a.c", STAGE_COMPILE);
	expect_stage("-MMD -MF a.d a.c", STAGE_LINK);
	expect_stage("a.h", STAGE_COMPILE);
	expect_stage("-x c++-header a", STAGE_COMPILE);
	expect_stage("a.h a.c", STAGE_LINK);
}

static void questions_and_mistakes_are_not_ours(void **state)
{
	(void)state;
	expect_stage("", STAGE_NONE);
	expect_stage("-v", STAGE_NONE);
	expect_stage("--version", STAGE_NONE);
	expect_stage("-c a.c --version", STAGE_NONE);
	expect_stage("-dumpmachine", STAGE_NONE);
	expect_stage("-print-prog-name=ld", STAGE_NONE);
	expect_stage("--help=warnings a.c", STAGE_NONE);
	expect_stage("-Wl,--version", STAGE_NONE);
	expect_stage("-O2", STAGE_NONE);
	expect_stage("a.c -o", STAGE_NONE);
	expect_stage("a.c -include", STAGE_NONE);
	expect_stage("a.c -Xlinker", STAGE_NONE);
}

static void expect_inputs(const char *text, const char *paths,
			  enum compiler_input_kind last)
{
	struct compiler_line line = parse(text);
	char *copy = xstrdup(paths), *rest = copy, *path;
	size_t i = 0;

	while ((path = strsep(&rest, " "))) {
		assert_true(i < line.inputs.count);
		assert_string_equal(line.inputs.at[i++].path, path);
	}
	assert_int_equal(line.inputs.count, i);
	assert_int_equal(line.inputs.at[i - 1].kind, last);
	free(copy);
	compiler_line_done(&line);
}

static void arguments_of_options_are_no_inputs(void **state)
{
	(void)state;
	expect_inputs("-o x a.c", "a.c", INPUT_SOURCE);
	expect_inputs("-include h -I d -D M -MF a.d a.c", "a.c", INPUT_SOURCE);
	expect_inputs("a.c -Xlinker -rpath -Xlinker b.c", "a.c", INPUT_SOURCE);
	expect_inputs("-Xclang -load -Xclang a.c -mllvm b.c c.c", "c.c",
		      INPUT_SOURCE);
	expect_inputs("--param x=1 -isystem d -L d -T script a.o", "a.o",
		      INPUT_LINKED);
	expect_inputs("-Id -DM -Ld a.c", "a.c", INPUT_SOURCE);
}

static void inputs_have_their_kind(void **state)
{
	(void)state;
	expect_inputs("a.o dir.c/b", "a.o dir.c/b", INPUT_LINKED);
	expect_inputs("x.y.cpp", "x.y.cpp", INPUT_SOURCE);
	expect_inputs("a.i", "a.i", INPUT_SOURCE);
	expect_inputs("a.s", "a.s", INPUT_ASSEMBLER);
	expect_inputs("a.S", "a.S", INPUT_ASSEMBLER);
	expect_inputs("lib.so.1", "lib.so.1", INPUT_LINKED);
	expect_inputs("a.c -lm", "a.c m", INPUT_LIBRARY);
	expect_inputs("a.c -l m", "a.c m", INPUT_LIBRARY);
	expect_inputs("-x c -", "-", INPUT_SOURCE);
	expect_inputs("-xc odd", "odd", INPUT_SOURCE);
	expect_inputs("--language=c odd", "odd", INPUT_SOURCE);
	expect_inputs("-x c odd -x none a.o", "odd a.o", INPUT_LINKED);
	expect_inputs("-x assembler-with-cpp odd", "odd", INPUT_ASSEMBLER);
	expect_inputs("-c -- -odd.c", "-odd.c", INPUT_SOURCE);
}

static void expect_output(const char *text, const char *output)
{
	struct compiler_line line = parse(text);

	if (output)
		assert_string_equal(line.output, output);
	else
		assert_null(line.output);
	compiler_line_done(&line);
}

static void the_output_has_many_spellings(void **state)
{
	(void)state;
	expect_output("a.c", NULL);
	expect_output("a.c -o x", "x");
	expect_output("-ox a.c", "x");
	expect_output("--output x a.c", "x");
	expect_output("--output=x a.c", "x");
	expect_output("-o x a.c -o y", "y");
}

/* Whether `field` is given in the line. */
#define expect_field(text, field, given)                                       \
	do {                                                                   \
		struct compiler_line line_ = parse(text);                      \
		if (!!line_.field != (given))                                  \
			fail_msg("%s: " #field, text);                         \
		compiler_line_done(&line_);                                    \
	} while (0)

static void the_last_word_counts(void **state)
{
	(void)state;
	expect_field("a.c -flto", lto, true);
	expect_field("a.c -flto=auto", lto, true);
	expect_field("a.c -flto -fno-lto", lto, false);
	expect_field("a.c -m32", other_width, true);
	expect_field("a.c -m32 -m64", other_width, false);
	expect_field("a.c -static-pie", static_all, true);
	expect_field("a.c -static-libgcc", static_all, false);
	expect_field("a.o -r", relocatable, true);
	expect_field("a.o -Wl,-z,defs,-r", relocatable, true);
	expect_field("a.o -Xlinker -r", relocatable, true);
	expect_field("a.o -Wl,-rpath,d", relocatable, false);
	expect_field("a.o --ld-path=/usr/bin/ld.lld", lld, true);
	expect_field("a.c -mllvm -tsan-instrument-atomics=0", tuned, true);
	expect_field("a.c -mllvm -other", tuned, false);
}

static void sanitizers_are_counted_to_the_end(void **state)
{
	(void)state;
	expect_field("a.c -fsanitize=undefined", rivals, false);
	expect_field("a.c -fsanitize=thread", rivals, false);
	expect_field("a.c -fsanitize=thread", thread, true);
	expect_field("a.c -fsanitize=undefined,leak", rivals, true);
	expect_field("a.c -fsanitize=leak -fno-sanitize=leak", rivals, false);
	expect_field("a.c -fsanitize=leak -fno-sanitize=all", rivals, false);
	expect_field("a.c -fno-sanitize=leak -fsanitize=leak", rivals, true);
	expect_field("a.c -fsanitize=address-other", rivals, false);
	expect_field("a.c -fno-sanitize=thread", no_hooks, true);
	expect_field("a.c -fno-sanitize=all -fsanitize=thread", no_hooks,
		     false);
	expect_field("a.c -fno-sanitize=vptr", no_hooks, false);
}

/* ---- Response files ---- */

static char directory[] = "/tmp/heddle-test-XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? chdir(directory) : -1;
}

static int remove_directory(void **state)
{
	struct err err;

	(void)state;
	return chdir("/") || file_remove(directory, &err);
}

static void put(const char *path, const char *text)
{
	struct err err;

	assert_int_equal(file_write(path, text, &err), 0);
}

static void response_files_are_read_as_compilers_do(void **state)
{
	static const char *const wanted[] = { "-DA=b c", "d\"e", "f g",
					      "h\\i",	 "",	 "last" };
	struct compiler_words words = { 0 };
	struct err err;

	(void)state;
	put("r", "\"-DA=b c\" d\\\"e\n\t'f g'  \"h\\\\i\" '' la'st'");
	assert_int_equal(compiler_words_add(&words, "@r", &err), 0);
	assert_int_equal(words.list.count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(words.list.at[i], wanted[i]);
	compiler_words_free(&words);
}

static void response_files_name_others(void **state)
{
	struct compiler_line line;

	(void)state;
	put("outer", "-c @inner -o x");
	put("inner", "a.c\nb.c");
	put("empty", " \n");
	line = parse("@outer @empty @missing");
	assert_int_equal(line.stage, STAGE_COMPILE);
	assert_int_equal(line.inputs.count, 3);
	assert_string_equal(line.inputs.at[1].path, "b.c");
	assert_string_equal(line.inputs.at[2].path, "@missing");
	assert_string_equal(line.output, "x");
	compiler_line_done(&line);
}

static void response_files_without_end_are_refused(void **state)
{
	char *argv[] = { (char[]){ "@one" } };
	struct compiler_line line;
	struct err err;

	(void)state;
	put("one", "a.c @two");
	put("two", "b.c @one");
	assert_int_equal(compiler_line_init(&line, 1, argv, &err), -1);
	assert_non_null(strstr(err.text, "names itself"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stage_is_the_earliest_named),
		cmocka_unit_test(questions_and_mistakes_are_not_ours),
		cmocka_unit_test(arguments_of_options_are_no_inputs),
		cmocka_unit_test(inputs_have_their_kind),
		cmocka_unit_test(the_output_has_many_spellings),
		cmocka_unit_test(the_last_word_counts),
		cmocka_unit_test(sanitizers_are_counted_to_the_end),
		cmocka_unit_test(response_files_are_read_as_compilers_do),
		cmocka_unit_test(response_files_name_others),
		cmocka_unit_test(response_files_without_end_are_refused),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
