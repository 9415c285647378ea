/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_sibling(const char *program, bool is_cxx, const char *name)
{
	char *got = compiler_sibling(program, is_cxx);

	if (name)
		assert_string_equal(got, name);
	else
		assert_null(got);
	free(got);
}

static void each_language_has_its_name(void **state)
{
	(void)state;
	expect_sibling("gcc", true, "g++");
	expect_sibling("gcc", false, "gcc");
	expect_sibling("g++", false, "gcc");
	expect_sibling("g++-12", true, "g++-12");
	expect_sibling("gcc-12", true, "g++-12");
	expect_sibling("clang", true, "clang++");
	expect_sibling("clang-19", true, "clang++-19");
	expect_sibling("clang++-19", false, "clang-19");
	expect_sibling("cc", true, "c++");
	expect_sibling("c++", false, "cc");
}

static void paths_and_targets_stay(void **state)
{
	(void)state;
	expect_sibling("/opt/gcc/bin/gcc", true, "/opt/gcc/bin/g++");
	expect_sibling("x86_64-linux-gnu-gcc-12", true,
		       "x86_64-linux-gnu-g++-12");
	expect_sibling("/usr/lib/llvm-19/bin/clang", true,
		       "/usr/lib/llvm-19/bin/clang++");
	expect_sibling("./clang-19.1", true, "./clang++-19.1");
}

static void other_names_have_no_sibling(void **state)
{
	(void)state;
	expect_sibling("/opt/gcc/bin/mine", true, NULL);
	expect_sibling("tcc", true, NULL);
	expect_sibling("gcc-wrapper", true, NULL);
	expect_sibling("", true, NULL);
}

static void expect_compiler(const char *wanted, bool is_cxx,
			    const char *program, enum compiler_family family)
{
	struct compiler c;
	struct err err;

	assert_int_equal(compiler_init(&c, wanted, is_cxx, &err), 0);
	assert_string_equal(c.program, program);
	assert_int_equal(c.family, family);
	compiler_done(&c);
}

static void gcc_unless_another_is_wanted(void **state)
{
	(void)state;
	expect_compiler(NULL, false, "gcc", COMPILER_GCC);
	expect_compiler("", true, "g++", COMPILER_GCC);
	expect_compiler("clang-19", true, "clang++-19", COMPILER_CLANG);
	expect_compiler("/x/clang", false, "/x/clang", COMPILER_CLANG);
}

/* cc does not say which it is: on our machines, gcc or clang. */
static void a_compiler_may_be_asked(void **state)
{
	struct compiler c;
	struct err err;

	(void)state;
	assert_int_equal(compiler_init(&c, "cc", false, &err), 0);
	assert_string_equal(c.program, "cc");
	compiler_done(&c);
}

static void expect_refused(const char *wanted, bool is_cxx)
{
	struct compiler c;
	struct err err = { "" };

	assert_int_equal(compiler_init(&c, wanted, is_cxx, &err), -1);
	assert_non_null(strstr(err.text, wanted));
}

static void what_is_no_compiler_is_refused(void **state)
{
	(void)state;
	expect_refused("/bin/true", false);
	expect_refused("/bin/true", true);
	expect_refused("no-such-program", false);
	expect_refused("heddle-cc", false);
	expect_refused("/usr/bin/heddle", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language_has_its_name),
		cmocka_unit_test(paths_and_targets_stay),
		cmocka_unit_test(other_names_have_no_sibling),
		cmocka_unit_test(gcc_unless_another_is_wanted),
		cmocka_unit_test(a_compiler_may_be_asked),
		cmocka_unit_test(what_is_no_compiler_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
