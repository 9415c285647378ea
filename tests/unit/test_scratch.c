/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "trial/scratch.h"

static char *inside(const struct scratch *s, const char *name)
{
	return xasprintf("%s/%s", s->path, name);
}

static void every_run_finds_the_same_directory(void **state)
{
	char path[] = "/tmp/heddle-scratch-XXXXXX";
	const char *const files[] = { path };
	struct scratch s;
	struct stat st;
	struct err err;
	size_t size;
	char *copy, *left, *text, *base;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(file_write(path, "given", &err), 0);
	chmod(path, 0750);
	assert_int_equal(scratch_init(&s, &err), 0);
	copy = inside(&s, strrchr(path, '/') + 1);
	left = inside(&s, "left");
	for (int run = 0; run < 2; run++) {
		assert_int_equal(scratch_fill(&s, files, 1, &err), 0);
		assert_int_equal(access(left, F_OK), -1);
		text = file_read(copy, &size, &err);
		assert_non_null(text);
		assert_string_equal(text, "given");
		free(text);
		assert_int_equal(stat(copy, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0750);
		/* What a run does to it is nobody else's business. */
		assert_int_equal(file_write(copy, "changed", &err), 0);
		assert_int_equal(file_write(left, "left", &err), 0);
	}
	base = xstrdup(s.base);
	scratch_done(&s);
	assert_int_equal(access(base, F_OK), -1);
	text = file_read(path, &size, &err);
	assert_string_equal(text, "given");
	unlink(path);
	free(text);
	free(base);
	free(copy);
	free(left);
}

static void a_file_that_is_gone_is_named(void **state)
{
	const char *const files[] = { "/no/such/input" };
	struct scratch s;
	struct err err;

	(void)state;
	assert_int_equal(scratch_init(&s, &err), 0);
	assert_int_equal(scratch_fill(&s, files, 1, &err), -1);
	assert_non_null(strstr(err.text, "/no/such/input"));
	scratch_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_finds_the_same_directory),
		cmocka_unit_test(a_file_that_is_gone_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
