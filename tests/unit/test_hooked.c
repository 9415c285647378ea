/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/hooked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static char path[] = "/tmp/heddle-test-XXXXXX";

static void put(const char *text)
{
	struct err err;

	assert_int_equal(file_write(path, text, &err), 0);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void a_program_of_ours_has_no_hooks(void **state)
{
	(void)state;
	assert_int_equal(hooked_program("/proc/self/exe"), HOOKED_NO);
}

static void what_is_no_program_is_not_judged(void **state)
{
	(void)state;
	put("#!/bin/sh\n");
	assert_int_equal(hooked_program(path), HOOKED_UNKNOWN);
	put("\177ELF");
	assert_int_equal(hooked_program(path), HOOKED_UNKNOWN);
	put("");
	assert_int_equal(hooked_program(path), HOOKED_UNKNOWN);
	assert_int_equal(hooked_program("/"), HOOKED_UNKNOWN);
	assert_int_equal(hooked_program("/no/such/file"), HOOKED_UNKNOWN);
}

static void inputs_tell_by_their_names(void **state)
{
	(void)state;
	put("BC..main..__tsan_init..");
	assert_true(hooked_input(path));
	put("!<arch>\n..main..printf..");
	assert_false(hooked_input(path));
	put("...gnu.lto_.opts...");
	assert_true(hooked_input(path));
}

static void inputs_that_cannot_be_told_count(void **state)
{
	(void)state;
	put("!<thin>\n");
	assert_true(hooked_input(path));
	assert_true(hooked_input("/no/such/file"));
	assert_true(hooked_input("/dev/null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_ours_has_no_hooks),
		cmocka_unit_test(what_is_no_program_is_not_judged),
		cmocka_unit_test(inputs_tell_by_their_names),
		cmocka_unit_test(inputs_that_cannot_be_told_count),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
