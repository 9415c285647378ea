/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_extra.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char guest[] = "/lib/heddle", headers[] = "/heddle/include";
static struct compiler_parts parts = { guest, headers };
static const struct compiler gcc = { .family = COMPILER_GCC };
static const struct compiler clang = { .family = COMPILER_CLANG };

static struct compiler_line parse(const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	struct compiler_line line;
	VEC(char *) argv = { 0 };
	struct err err;

	while ((word = strsep(&rest, " ")))
		vec_push(&argv, word);
	assert_int_equal(
		compiler_line_init(&line, (int)argv.count, argv.at, &err), 0);
	vec_free(&argv);
	free(copy);
	return line;
}

static bool has(const struct compiler_words *words, const char *wanted)
{
	for (size_t i = 0; i < words->list.count; i++)
		if (strcmp(words->list.at[i], wanted) == 0)
			return true;
	return false;
}

/* Whether `wanted` is added to the line anywhere. */
static bool adds(const struct compiler *c, const char *text, const char *wanted)
{
	struct compiler_line line = parse(text);
	struct compiler_extra extra;
	bool found;

	compiler_extra_init(&extra, c, &line, &parts);
	found = has(&extra.before, wanted) || has(&extra.after, wanted);
	compiler_extra_done(&extra);
	compiler_line_done(&line);
	return found;
}

static void sources_get_hooks_and_lines(void **state)
{
	static const char *const lines[] = { "a.c", "-c a.c", "-S a.cc",
					     "-E a.c", "a.h" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_true(adds(&gcc, lines[i], "-fsanitize=thread"));
		assert_true(adds(&clang, lines[i], "-fsanitize=thread"));
		assert_true(adds(&gcc, lines[i], "-g"));
		assert_true(adds(&clang, lines[i], headers));
	}
	assert_false(adds(&gcc, "-c a.s", "-fsanitize=thread"));
	assert_false(adds(&gcc, "-c a.s", "-g"));
	assert_false(adds(&gcc, "--version", "-fsanitize=thread"));
}

static void only_gcc_hooks_when_linking(void **state)
{
	(void)state;
	assert_true(adds(&gcc, "a.o", "-fsanitize=thread"));
	assert_true(adds(&gcc, "a.o", "-fno-builtin-memcpy"));
	assert_false(adds(&clang, "a.o", "-fsanitize=thread"));
	assert_false(adds(&gcc, "a.o", "-g"));
}

static void programs_get_the_guest(void **state)
{
	(void)state;
	assert_true(adds(&gcc, "a.o", "-L/lib/heddle/gcc"));
	assert_false(adds(&gcc, "a.o", "-lheddle"));
	assert_true(adds(&gcc, "-nostdlib a.o", "-lheddle"));
	assert_true(adds(&clang, "a.o", "-lheddle"));
	assert_true(adds(&clang, "-shared a.c", guest));
	assert_false(adds(&clang, "-c a.c", "-lheddle"));
	assert_false(adds(&gcc, "-c a.c", guest));
	assert_false(adds(&clang, "-r a.o", "-lheddle"));
	assert_false(adds(&gcc, "-r a.o", guest));
}

static void clang_links_no_runtime_of_its_own(void **state)
{
	(void)state;
	assert_true(
		adds(&clang, "a.c -fsanitize=thread", "-fno-sanitize=thread"));
	assert_false(adds(&clang, "a.c", "-fno-sanitize=thread"));
	assert_false(
		adds(&gcc, "a.c -fsanitize=thread", "-fno-sanitize=thread"));
}

static void clang_optimises_nothing_when_linking(void **state)
{
	(void)state;
	assert_true(adds(&clang, "-flto a.o", "-plugin-opt=O0"));
	assert_true(adds(&clang, "-fuse-ld=lld a.o", "-plugin-opt=O0"));
	assert_false(adds(&clang, "a.o", "-plugin-opt=O0"));
	assert_false(adds(&clang, "-flto -c a.c", "-plugin-opt=O0"));
	assert_false(adds(&gcc, "-flto a.o", "-plugin-opt=O0"));
}

/* The user may say -g0 or -D__SANITIZE_THREAD__, not -fno-sanitize=thread. */
static void users_overrule_what_is_in_front(void **state)
{
	struct compiler_line line = parse("-c a.c");
	struct compiler_extra extra;

	(void)state;
	compiler_extra_init(&extra, &gcc, &line, &parts);
	assert_true(has(&extra.before, "-g"));
	assert_true(has(&extra.before, "-U__SANITIZE_THREAD__"));
	assert_true(has(&extra.after, "-fsanitize=thread"));
	assert_true(has(&extra.after, "-fplt"));
	compiler_extra_done(&extra);
	compiler_line_done(&line);
}

static void expect_refused(const struct compiler *c, const char *text,
			   const char *word)
{
	struct compiler_line line = parse(text);
	struct err err = { "" };
	int rc = compiler_refuse(c, &line, &err);

	assert_int_equal(rc, word ? -1 : 0);
	if (word)
		assert_non_null(strstr(err.text, word));
	compiler_line_done(&line);
}

static void what_needs_another_runtime_is_refused(void **state)
{
	(void)state;
	expect_refused(&gcc, "-static a.c", "-static ");
	expect_refused(&clang, "-static-pie a.o", "-static-pie");
	expect_refused(&gcc, "-static -c a.c", NULL);
	expect_refused(&gcc, "-static-libtsan a.o", "-static-libtsan");
	expect_refused(&gcc, "-fsanitize=address -c a.c", "address");
	expect_refused(&gcc, "-fsanitize=address --version", NULL);
	expect_refused(&clang, "-fsanitize=undefined,memory a.o", "memory");
	expect_refused(&clang, "-fsanitize=undefined a.o", NULL);
	expect_refused(&gcc, "-m32 -c a.c", "-m32");
	expect_refused(&clang, "-c a.c -mllvm -tsan-x=0", "-tsan-x=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_get_hooks_and_lines),
		cmocka_unit_test(only_gcc_hooks_when_linking),
		cmocka_unit_test(programs_get_the_guest),
		cmocka_unit_test(clang_links_no_runtime_of_its_own),
		cmocka_unit_test(clang_optimises_nothing_when_linking),
		cmocka_unit_test(users_overrule_what_is_in_front),
		cmocka_unit_test(what_needs_another_runtime_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
