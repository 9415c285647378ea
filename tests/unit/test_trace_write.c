/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "made_trace.h"

static const struct trace_info info = { .mode = MODE_OBSERVE };
static const struct trace_end end = { .closed = 1 };

/* A slot of events that hardly pack: the first gets `stamp`. */
static size_t fill(uint8_t bytes[REGION_SLOT_BYTES], uint64_t stamp)
{
	struct codec codec = { .stamp = stamp - 1 };
	struct event e = { .kind = EVENT_TIME, .stamp = stamp };
	uint8_t *p = codec_put_event(&codec, bytes, &e);
	uint64_t seed = stamp;

	while (p + CODEC_MAX < bytes + REGION_SLOT_BYTES)
		p = codec_put_access(&codec, p, 1, 2, random_next(&seed), 0);
	return (size_t)(p - bytes);
}

static int write_slot(struct trace_writer *w, uint32_t thread,
		      uint32_t sequence, struct err *err)
{
	uint8_t bytes[REGION_SLOT_BYTES];
	uint64_t stamp = 10 + sequence;
	size_t size = fill(bytes, stamp);

	return trace_write_events(w, thread, sequence, stamp - 1, bytes, size,
				  err);
}

static struct trace_writer *create(const char *path)
{
	struct err err;
	struct trace_writer *w = trace_create(path, &info, &err);

	assert_non_null(w);
	return w;
}

static struct trace *finish_and_open(struct trace_writer *w, const char *path)
{
	struct err err;
	struct trace *t;

	assert_int_equal(trace_finish(w, &end, &err), 0);
	t = trace_open(path, &err);
	assert_non_null(t);
	return t;
}

/* ---- full disks ---- */

/* Writes until it fails: how many slots went well. */
static uint32_t write_until_full(struct trace_writer *w, struct err *err)
{
	uint32_t n = 0;

	while (n < 1000 && write_slot(w, 0, n, err) == 0)
		n++;
	assert_true(n > 0 && n < 1000);
	return n;
}

static void check_readable(const char *path, uint32_t slots)
{
	struct err err;
	struct trace *t = trace_open(path, &err);
	uint32_t seen = 0;
	struct event e;

	assert_non_null(t);
	while (trace_next(t, &e))
		if (e.kind == EVENT_TIME)
			assert_int_equal(e.stamp, 10 + seen++);
	assert_int_equal(seen, slots);
	assert_null(trace_end(t));
	assert_int_equal(trace_missing(t), 1);
	trace_close(t);
}

/* Fills what `path` lies on and looks at what remains. */
static void check_full(const char *path, const char *words)
{
	struct trace_writer *w = create(path);
	struct err first, again = { 0 };
	uint32_t slots = write_until_full(w, &first);

	assert_non_null(strstr(first.text, path));
	assert_non_null(strstr(first.text, words));
	assert_int_equal(write_slot(w, 0, slots, &again), -1);
	assert_string_equal(first.text, again.text);
	assert_int_equal(trace_finish(w, &end, &again), -1);
	assert_string_equal(first.text, again.text);
	check_readable(path, slots);
}

static void a_full_disk_keeps_what_was_written(void **state)
{
	char directory[] = "/tmp/heddle-test-XXXXXX";
	char path[64];

	(void)state;
	/* Seen by this process alone, and gone with it. */
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
		skip();
	assert_non_null(mkdtemp(directory));
	assert_int_equal(mount("none", directory, "tmpfs", 0, "size=512k"), 0);
	snprintf(path, sizeof(path), "%s/trace", directory);
	check_full(path, "No space left on device");
	assert_int_equal(umount(directory), 0);
	rmdir(directory);
}

static void the_limit_of_file_sizes_keeps_what_was_written(void **state)
{
	struct rlimit before, limit;
	char *path = random_path();

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 300000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	check_full(path, "ulimit -f");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	unlink(path);
	free(path);
}

static void a_place_that_takes_nothing_is_told_at_once(void **state)
{
	struct err err;

	(void)state;
	assert_null(trace_create("/dev/full", &info, &err));
	assert_non_null(strstr(err.text, "No space left"));
	assert_null(trace_create("/tmp", &info, &err));
	assert_non_null(strstr(err.text, "/tmp"));
	assert_null(trace_create("/nowhere/trace", &info, &err));
	assert_non_null(strstr(err.text, "name another place"));
}

/* ---- order ---- */

/* Reads thread 0's slots: how many there are, in order. */
static uint32_t slots_in_order(struct trace *t)
{
	uint32_t seen = 0;
	struct event e;

	while (trace_next_unordered(t, &e))
		if (e.kind == EVENT_TIME && e.thread == 0)
			assert_int_equal(e.stamp, 10 + seen++);
	return seen;
}

static void slots_may_come_in_any_order(void **state)
{
	static const uint32_t order[] = { 2, 0, 4, 3, 1, 5 };
	char *path = random_path();
	struct trace_writer *w = create(path);
	struct trace *t;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(write_slot(w, 0, order[i], &err), 0);
		assert_int_equal(write_slot(w, 1, 5 - order[i], &err), 0);
	}
	t = finish_and_open(w, path);
	assert_int_equal(slots_in_order(t), 6);
	assert_int_equal(trace_missing(t), 0);
	trace_close(t);
	unlink(path);
	free(path);
}

static void a_slot_that_never_comes_is_told(void **state)
{
	char *path = random_path();
	struct trace_writer *w = create(path);
	struct trace *t;
	struct err err;

	(void)state;
	for (uint32_t n = 0; n < 1000; n++)
		if (n != 3)
			assert_int_equal(write_slot(w, 0, n, &err), 0);
	t = finish_and_open(w, path);
	assert_int_equal(trace_missing(t), 1);
	assert_string_equal(trace_missing_text(t, 0),
			    "chunks 3 to 3 of thread 0 are missing");
	trace_close(t);
	unlink(path);
	free(path);
}

static void bytes_that_are_no_events_are_told(void **state)
{
	const uint8_t bytes[] = { EVENT_TIME, 0, 5, 0xff, 0xff, 0xff };
	char *path = random_path();
	struct trace_writer *w = create(path);
	struct event e;
	struct trace *t;
	struct err err;

	(void)state;
	assert_int_equal(
		trace_write_events(w, 0, 0, 0, bytes, sizeof(bytes), &err), 0);
	t = finish_and_open(w, path);
	assert_int_equal(trace_next(t, &e), 1);
	assert_int_equal(e.stamp, 5);
	assert_int_equal(trace_next(t, &e), 0);
	assert_int_equal(trace_missing(t), 1);
	assert_non_null(strstr(trace_missing_text(t, 0), "3 bytes"));
	trace_close(t);
	unlink(path);
	free(path);
}

/* ---- tables ---- */

static struct region *region_new(void)
{
	struct region *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
				0);

	assert_true(r != MAP_FAILED);
	return r;
}

static void tables_are_written_as_they_grow(void **state)
{
	struct region *r = region_new();
	char *path = random_path();
	struct trace_writer *w = create(path);
	struct err err;
	struct trace *t;
	off_t size;
	int fd;

	(void)state;
	r->threads[0].parent = NO_THREAD;
	r->thread_count = 1;
	r->stack_count = 1;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	for (uint32_t n = 1; n < 200000; n++)
		r->stacks[n] = (struct region_stack){ n - 1, n * 3 };
	r->stack_count = 200000;
	strcpy(r->modules[0].path, "/bin/true");
	r->module_count = 1;
	r->threads[1] = (struct region_thread){ .nth = 4 };
	r->thread_count = 2;
	memset(r->notes[0].text, 'x', sizeof(r->notes[0].text));
	r->note_count = 1;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	/* What has not grown costs nothing. */
	fd = open(path, O_RDONLY);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	close(fd);
	r->threads[0].end_stamp = 123;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	t = finish_and_open(w, path);
	assert_int_equal(trace_missing(t), 0);
	assert_int_equal(trace_threads(t), 2);
	assert_int_equal(trace_thread(t, 0)->end_stamp, 123);
	assert_int_equal(trace_thread(t, 1)->end_stamp, 0);
	assert_int_equal(trace_thread(t, 1)->nth, 4);
	assert_int_equal(trace_stacks(t), 200000);
	for (uint32_t n = 1; n < 200000; n++)
		assert_true(trace_stack(t, n)->parent == n - 1 &&
			    trace_stack(t, n)->site == n * 3);
	assert_string_equal(trace_module(t, 0)->path, "/bin/true");
	assert_int_equal(strlen(trace_note(t, 0)), sizeof(r->notes[0].text));
	trace_close(t);
	munmap(r, sizeof(*r));
	unlink(path);
	free(path);
}

static void a_thread_is_written_again_when_it_begins(void **state)
{
	struct region *r = region_new();
	char *path = random_path();
	struct trace_writer *w = create(path);
	struct err err;
	struct trace *t;

	(void)state;
	for (uint32_t n = 0; n < 3; n++)
		r->threads[n] = (struct region_thread){ .nth = n };
	r->thread_count = 3;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	r->threads[1].end_stamp = 77;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	r->threads[1].kernel_tid = 1001;
	r->threads[1].stack_high = 0x5000;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	t = finish_and_open(w, path);
	assert_int_equal(trace_threads(t), 3);
	assert_int_equal(trace_thread(t, 0)->kernel_tid, 0);
	assert_int_equal(trace_thread(t, 1)->kernel_tid, 1001);
	assert_int_equal(trace_thread(t, 1)->stack_high, 0x5000);
	assert_int_equal(trace_thread(t, 1)->end_stamp, 77);
	assert_int_equal(trace_thread(t, 2)->nth, 2);
	trace_close(t);
	munmap(r, sizeof(*r));
	unlink(path);
	free(path);
}

/* The region is the program's memory: it may hold anything. */
static void wild_counts_in_the_region_do_no_harm(void **state)
{
	struct region *r = region_new();
	char *path = random_path();
	struct trace_writer *w = create(path);
	struct err err;
	struct trace *t;

	(void)state;
	r->thread_count = r->module_count = UINT32_MAX;
	r->stack_count = r->note_count = UINT32_MAX;
	memset(r->modules[3].path, 'y', sizeof(r->modules[3].path));
	r->modules[3].build_id_size = 255;
	assert_int_equal(trace_write_tables(w, r, &err), 0);
	t = finish_and_open(w, path);
	assert_int_equal(trace_threads(t), REGION_THREADS);
	assert_int_equal(trace_stacks(t), REGION_STACKS);
	assert_int_equal(trace_modules(t), REGION_MODULES);
	assert_int_equal(trace_notes(t), REGION_NOTES);
	trace_close(t);
	munmap(r, sizeof(*r));
	unlink(path);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_disk_keeps_what_was_written),
		cmocka_unit_test(
			the_limit_of_file_sizes_keeps_what_was_written),
		cmocka_unit_test(a_place_that_takes_nothing_is_told_at_once),
		cmocka_unit_test(slots_may_come_in_any_order),
		cmocka_unit_test(a_slot_that_never_comes_is_told),
		cmocka_unit_test(bytes_that_are_no_events_are_told),
		cmocka_unit_test(tables_are_written_as_they_grow),
		cmocka_unit_test(a_thread_is_written_again_when_it_begins),
		cmocka_unit_test(wild_counts_in_the_region_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
