/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/site_path.h"

static char home[] = "/home/ann/bank", link_name[] = "/src/bank";

static void expect_path(const char *recorded, const char *expected)
{
	struct site_paths paths = { { link_name, home } };
	char *path = site_path(&paths, recorded);

	assert_string_equal(path, expected);
	free(path);
}

static void paths_below_the_directory_are_relative(void **state)
{
	(void)state;
	expect_path("/home/ann/bank/bank.c", "bank.c");
	expect_path("/home/ann/bank/src/bank.c", "src/bank.c");
	expect_path("/src/bank/bank.c", "bank.c");
	expect_path("/home/ann/bank/build/../src/./bank.c", "src/bank.c");
}

static void other_paths_stay(void **state)
{
	(void)state;
	expect_path("/home/ann/bank2/bank.c", "/home/ann/bank2/bank.c");
	expect_path("/home/ann/bank/../lib.c", "/home/ann/lib.c");
	expect_path("/usr/include/stdio.h", "/usr/include/stdio.h");
	expect_path("/home/ann/bank", "/home/ann/bank");
}

static void paths_are_cleaned(void **state)
{
	(void)state;
	expect_path("./src//bank.c", "src/bank.c");
	expect_path("../x/../y/bank.c", "../y/bank.c");
	expect_path("../../bank.c", "../../bank.c");
	expect_path("/../bank.c", "/bank.c");
	expect_path("a/b/../../bank.c", "bank.c");
	expect_path("a/..", "");
	expect_path("", "");
	expect_path("<built-in>", "<built-in>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_below_the_directory_are_relative),
		cmocka_unit_test(other_paths_stay),
		cmocka_unit_test(paths_are_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
