/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "store/store.h"

static char scratch[] = "/tmp/test_store-XXXXXX";
static char store[64];
static struct err err;

static int make_scratch(void **state)
{
	(void)state;
	strcpy(scratch, "/tmp/test_store-XXXXXX");
	if (!mkdtemp(scratch))
		return -1;
	snprintf(store, sizeof(store), "%s/a/b", scratch);
	return 0;
}

static int remove_scratch(void **state)
{
	(void)state;
	return file_remove(scratch, &err);
}

static void new_run(struct store_run *run, const char *program)
{
	char *argv[] = { (char[]){ "/usr/bin/x" }, (char[]){ "it's" }, NULL };
	char *name = xstrdup(program);

	argv[0] = name;
	assert_int_equal(store_run_new(run, store, argv, &err), 0);
	free(name);
}

static void finished_run(const char *program)
{
	struct store_run run;

	new_run(&run, program);
	assert_int_equal(store_run_finish(&run, "held: so", &err), 0);
	store_run_done(&run);
}

static bool has_run(const char *name)
{
	struct store_run run;

	if (store_run_find(&run, store, name, &err) < 0)
		return false;
	store_run_done(&run);
	return true;
}

static void runs_of_a_program_are_numbered(void **state)
{
	(void)state;
	finished_run("/bin/one");
	finished_run("./one");
	finished_run("one-more");
	assert_true(has_run("one-1"));
	assert_true(has_run("one-2"));
	assert_true(has_run("one-more-1"));
	assert_false(has_run("one-3"));
}

static void a_run_keeps_command_and_verdict(void **state)
{
	struct store_run run;
	char *path, *text;
	size_t size;

	(void)state;
	finished_run("prog");
	assert_int_equal(store_run_find(&run, store, "prog-1", &err), 0);
	path = xasprintf("%s/command", run.directory);
	text = file_read(path, &size, &err);
	assert_string_equal(text, "prog 'it'\\''s'\n");
	free(text);
	free(path);
	path = xasprintf("%s/verdict", run.directory);
	text = file_read(path, &size, &err);
	assert_string_equal(text, "held: so\n");
	free(text);
	free(path);
	store_run_done(&run);
}

static void the_newest_run_is_found_without_a_name(void **state)
{
	struct store_run run;

	(void)state;
	assert_int_equal(store_run_find(&run, store, NULL, &err), -1);
	assert_non_null(strstr(err.text, "no run"));
	finished_run("z");
	finished_run("a");
	assert_int_equal(store_run_find(&run, store, NULL, &err), 0);
	assert_string_equal(run.name, "a-1");
	store_run_done(&run);
}

static void tidying_removes_the_oldest(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		finished_run("p");
	assert_int_equal(store_tidy(store, 2, &err), 0);
	assert_false(has_run("p-3"));
	assert_true(has_run("p-4"));
	assert_true(has_run("p-5"));
}

static void tidying_leaves_a_run_that_is_being_made(void **state)
{
	struct store_run run;

	(void)state;
	new_run(&run, "busy");
	finished_run("idle");
	assert_int_equal(store_tidy(store, 0, &err), 0);
	assert_true(has_run("busy-1"));
	assert_false(has_run("idle-1"));
	store_run_done(&run);
	assert_int_equal(store_tidy(store, 0, &err), 0);
	assert_false(has_run("busy-1"));
}

static void a_discarded_run_leaves_nothing(void **state)
{
	struct store_run run;

	(void)state;
	new_run(&run, "p");
	store_run_discard(&run);
	assert_false(has_run("p-1"));
}

static void a_store_that_cannot_be_made_is_named(void **state)
{
	char *argv[] = { (char[]){ "p" }, NULL };
	struct store_run run;

	(void)state;
	assert_int_equal(file_write(scratch, "", &err), -1);
	snprintf(store, sizeof(store), "%s/file", scratch);
	assert_int_equal(file_write(store, "", &err), 0);
	strcat(store, "/store");
	assert_int_equal(store_run_new(&run, store, argv, &err), -1);
	assert_non_null(strstr(err.text, store));
	assert_non_null(strstr(err.text, "--store"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_scratch, remove_scratch)
	const struct CMUnitTest tests[] = {
		TEST(runs_of_a_program_are_numbered),
		TEST(a_run_keeps_command_and_verdict),
		TEST(the_newest_run_is_found_without_a_name),
		TEST(tidying_removes_the_oldest),
		TEST(tidying_leaves_a_run_that_is_being_made),
		TEST(a_discarded_run_leaves_nothing),
		TEST(a_store_that_cannot_be_made_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
