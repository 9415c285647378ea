/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "made_trace.h"
#include "trace/trace_text.h"

static struct made_trace made;

static void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

/* The sentence with which a file of these bytes is refused. */
static struct err refused(const void *bytes, size_t size)
{
	char *path = random_path();
	struct err err = { 0 };

	write_file(path, bytes, size);
	assert_null(trace_open(path, &err));
	assert_non_null(strstr(err.text, path));
	unlink(path);
	free(path);
	return err;
}

#define assert_says(err, words) assert_non_null(strstr((err).text, words))

static void a_foreign_file_is_refused(void **state)
{
	struct err err = refused("#!/bin/sh\necho hello\n", 21);

	(void)state;
	assert_says(err, "is not a trace of heddle; name a file");
	err = refused("x", 1);
	assert_says(err, "is not a trace");
}

static void an_empty_file_is_refused(void **state)
{
	struct err err = refused("", 0);

	(void)state;
	assert_says(err, "is empty");
	assert_says(err, "run the program again");
}

static void a_stump_of_a_header_is_refused(void **state)
{
	struct err err = refused("heddle\x1a\n\1", 9);

	(void)state;
	assert_says(err, "cut off");
	err = refused("hedd", 4);
	assert_says(err, "cut off");
}

static void a_newer_version_is_refused_with_both_versions(void **state)
{
	uint8_t header[56] = "heddle\x1a\n\x02";
	struct err err = refused(header, sizeof(header));

	(void)state;
	assert_says(err, "has version 2");
	assert_says(err, "reads version 1");
	assert_says(err, "upgrade");
}

static void what_is_no_file_is_refused(void **state)
{
	struct err err;
	char *path = random_path();

	(void)state;
	unlink(path);
	assert_null(trace_open(path, &err));
	assert_says(err, "No such file");
	assert_null(trace_open("/tmp", &err));
	assert_says(err, "is a directory");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(trace_open(path, &err));
	assert_says(err, "not a regular file");
	unlink(path);
	free(path);
}

static void an_unreadable_file_is_refused(void **state)
{
	uid_t uid = geteuid();
	char *path = random_path();
	struct err err;

	(void)state;
	chmod(path, 0);
	/* Root may read everything: be somebody else. */
	if (uid == 0)
		assert_int_equal(seteuid(65534), 0);
	assert_null(trace_open(path, &err));
	if (uid == 0)
		assert_int_equal(seteuid(0), 0);
	assert_says(err, "Permission denied");
	unlink(path);
	free(path);
}

static void what_was_written_of_the_run_is_there(void **state)
{
	struct err err;
	struct trace *t = trace_from_text(
		"command \"./bank\" \"-n 2\"\n"
		"run started=1700000000 stamps-per-second=2000000000 mode=1 flags=1\n"
		"module 0 \"/usr/bin/bank\" base=0x5000 bias=0x4000 size=0x100 site=16 build-id=00ff10 instrumented=1\n"
		"stack 1 parent=0 site=0x12\n"
		"stack 2 parent=1 site=0x20\n"
		"thread 0 tid=77 stack=2 stack-low=0x10 stack-high=0x20 start=0x30 end=99\n"
		"thread 1 parent=0 nth=3\n"
		"note \"no room\"\n"
		"end closed=0 status=-1 lost=5\n",
		&err);
	uint64_t offset;

	(void)state;
	assert_non_null(t);
	assert_int_equal(trace_missing(t), 0);
	assert_int_equal(trace_info(t)->command_size, 12);
	assert_memory_equal(trace_info(t)->command, "./bank\0-n 2", 12);
	assert_int_equal(trace_info(t)->started, 1700000000);
	assert_int_equal(trace_info(t)->stamps_per_second, 2000000000);
	assert_int_equal(trace_info(t)->flags, REGION_RECORD_ALL);
	assert_int_equal(trace_modules(t), 1);
	assert_string_equal(trace_module(t, 0)->path, "/usr/bin/bank");
	assert_int_equal(trace_module(t, 0)->build_id_size, 3);
	assert_memory_equal(trace_module(t, 0)->build_id, "\0\xff\x10", 3);
	assert_ptr_equal(trace_site_module(t, 0x12, &offset),
			 trace_module(t, 0));
	assert_int_equal(offset, 2);
	assert_null(trace_site_module(t, 15, &offset));
	assert_null(trace_site_module(t, 0x110, &offset));
	assert_int_equal(trace_stacks(t), 3);
	assert_int_equal(trace_stack(t, 2)->parent, 1);
	assert_int_equal(trace_stack(t, 2)->site, 0x20);
	assert_null(trace_stack(t, 3));
	assert_int_equal(trace_threads(t), 2);
	assert_int_equal(trace_thread(t, 0)->parent, NO_THREAD);
	assert_int_equal(trace_thread(t, 0)->end_stamp, 99);
	assert_int_equal(trace_thread(t, 0)->kernel_tid, 77);
	assert_int_equal(trace_thread(t, 1)->parent, 0);
	assert_int_equal(trace_thread(t, 1)->nth, 3);
	assert_null(trace_thread(t, 2));
	assert_int_equal(trace_notes(t), 1);
	assert_string_equal(trace_note(t, 0), "no room");
	assert_int_equal(trace_end(t)->closed, 0);
	assert_int_equal(trace_end(t)->wait_status, -1);
	assert_int_equal(trace_end(t)->lost, 5);
	trace_close(t);
}

static void a_trace_without_an_end_says_so(void **state)
{
	struct err err;
	struct trace *t = trace_from_text("0 write 8\ncut\n", &err);
	struct event e;

	(void)state;
	assert_non_null(t);
	assert_null(trace_end(t));
	assert_int_equal(trace_missing(t), 1);
	assert_non_null(strstr(trace_missing_text(t, 0), "cut off"));
	assert_int_equal(trace_next(t, &e), 1);
	assert_int_equal(trace_next(t, &e), 0);
	trace_close(t);
}

static void threads_that_only_events_name_are_counted(void **state)
{
	char *path = random_path();
	struct err err;
	struct trace *t;

	(void)state;
	made_trace_write(&made, 4, 3, 100, path);
	t = trace_open(path, &err);
	assert_non_null(t);
	assert_int_equal(trace_threads(t), 3);
	assert_int_equal(trace_thread(t, 2)->parent, NO_THREAD);
	trace_close(t);
	made_trace_free(&made);
	unlink(path);
	free(path);
}

static void a_file_that_grows_is_read_to_where_it_was(void **state)
{
	char *path = random_path();
	struct trace *t;
	struct event e;
	struct err err;
	int fd;

	(void)state;
	made_trace_write(&made, 4, 2, 1000, path);
	t = trace_open(path, &err);
	assert_non_null(t);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "more", 4), 4);
	close(fd);
	while (trace_next(t, &e))
		;
	assert_int_equal(trace_missing(t), 0);
	trace_close(t);
	made_trace_free(&made);
	unlink(path);
	free(path);
}

static void a_file_that_shrinks_is_told(void **state)
{
	char *path = random_path();
	struct trace *t;
	struct event e;
	struct err err;

	(void)state;
	made_trace_write(&made, 4, 2, 1000, path);
	t = trace_open(path, &err);
	assert_non_null(t);
	assert_int_equal(truncate(path, 100), 0);
	while (trace_next(t, &e))
		;
	assert_true(trace_missing(t) > 0);
	trace_close(t);
	made_trace_free(&made);
	unlink(path);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_foreign_file_is_refused),
		cmocka_unit_test(an_empty_file_is_refused),
		cmocka_unit_test(a_stump_of_a_header_is_refused),
		cmocka_unit_test(a_newer_version_is_refused_with_both_versions),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(an_unreadable_file_is_refused),
		cmocka_unit_test(what_was_written_of_the_run_is_there),
		cmocka_unit_test(a_trace_without_an_end_says_so),
		cmocka_unit_test(threads_that_only_events_name_are_counted),
		cmocka_unit_test(a_file_that_grows_is_read_to_where_it_was),
		cmocka_unit_test(a_file_that_shrinks_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
