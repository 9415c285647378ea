/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small trace is cut off after every byte, and each of its bytes is spoilt
 * in turn. Reading must go well each time, and give of every thread what was
 * recorded, in order, with nothing made up; what is not hit is not lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>

#include "made_trace.h"
#include "trace/trace_layout.h"

enum { THREADS = 3, EVENTS = 120 };

static struct made_trace made;
static uint8_t *bytes;
static size_t size;

/* What one reading of a damaged file found. */
struct found {
	size_t events[THREADS];
	size_t missing;
};

static int load(void **state)
{
	char *path = random_path();
	int fd;

	(void)state;
	made_trace_write(&made, 9, THREADS, EVENTS, path);
	fd = open(path, O_RDONLY);
	size = (size_t)lseek(fd, 0, SEEK_END);
	bytes = xmalloc(size);
	if (pread(fd, bytes, size, 0) != (ssize_t)size)
		return -1;
	close(fd);
	unlink(path);
	free(path);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	free(bytes);
	made_trace_free(&made);
	return 0;
}

/* The place of `e` in its thread, from `at` on. */
static size_t find_event(const struct event *e, size_t at)
{
	const struct made_thread *t = &made.thread[e->thread];

	while (at < t->events.count && !event_equals(e, &t->events.at[at]))
		at++;
	assert_true(at < t->events.count);
	return at;
}

static struct found read_file(struct trace *t)
{
	struct found found = { 0 };
	size_t at[THREADS] = { 0 };
	uint64_t last = 0;
	struct event e;

	while (trace_next(t, &e)) {
		assert_true(e.thread < THREADS);
		assert_true(e.stamp >= last);
		last = e.stamp;
		at[e.thread] = find_event(&e, at[e.thread]) + 1;
		found.events[e.thread]++;
	}
	found.missing = trace_missing(t);
	return found;
}

/* Reads a file of these bytes: false when it was refused. */
static bool read_bytes(const uint8_t *p, size_t n, struct found *found)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[40];
	struct err err;
	struct trace *t;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(write(fd, p, n), n);
	t = trace_open(path, &err);
	if (t)
		*found = read_file(t);
	trace_close(t);
	close(fd);
	return t != NULL;
}

static size_t sum(const struct found *found)
{
	size_t n = 0;

	for (int i = 0; i < THREADS; i++)
		n += found->events[i];
	return n;
}

static size_t recorded(void)
{
	size_t n = 0;

	for (int i = 0; i < THREADS; i++)
		n += made.thread[i].events.count;
	return n;
}

static void the_whole_file_has_nothing_missing(void **state)
{
	struct found found;

	(void)state;
	assert_true(read_bytes(bytes, size, &found));
	assert_int_equal(sum(&found), recorded());
	assert_int_equal(found.missing, 0);
}

static void a_cut_anywhere_leaves_what_was_whole(void **state)
{
	size_t before = 0;

	(void)state;
	for (size_t n = 0; n < size; n++) {
		struct found found;

		if (!read_bytes(bytes, n, &found)) {
			assert_true(n < TRACE_MAGIC_SIZE + 4);
			continue;
		}
		assert_true(found.missing > 0);
		assert_true(sum(&found) >= before);
		before = sum(&found);
	}
	/* The last thing in the file is its end. */
	assert_int_equal(before, recorded());
}

/* How many events the chunk that byte `at` lies in has, by its thread. */
static struct found hit_by(size_t at)
{
	struct found found = { 0 };
	size_t p = HEADER_SIZE + 9; /* and the command */

	while (p < size) {
		uint32_t type, thread, packed, count;
		size_t next;

		memcpy(&type, bytes + p + 4, 4);
		memcpy(&thread, bytes + p + 8, 4);
		memcpy(&packed, bytes + p + 20, 4);
		memcpy(&count, bytes + p + 40, 4);
		next = p + CHUNK_HEADER + packed;
		if (at >= p && at < next && type == CHUNK_EVENTS)
			found.events[thread] = count;
		p = next;
	}
	assert_int_equal(p, size);
	return found;
}

static void check_spoilt(size_t at, uint8_t with)
{
	struct found hit = hit_by(at), found;

	bytes[at] ^= with;
	if (!read_bytes(bytes, size, &found)) {
		assert_true(at < TRACE_MAGIC_SIZE + 4);
	} else {
		assert_true(found.missing > 0);
		for (int i = 0; i < THREADS; i++)
			assert_int_equal(found.events[i] + hit.events[i],
					 made.thread[i].events.count);
	}
	bytes[at] ^= with;
}

static void a_spoilt_byte_costs_the_chunk_it_is_in(void **state)
{
	(void)state;
	for (size_t at = 0; at < size; at++) {
		check_spoilt(at, 0x01);
		check_spoilt(at, 0xff);
	}
}

static void a_lost_stretch_costs_what_was_in_it(void **state)
{
	uint8_t *copy = xmalloc(size);
	uint64_t seed = 21;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t from =
			TRACE_MAGIC_SIZE + 4 + random_next(&seed) % (size - 60);
		size_t n = random_next(&seed) % (size - from);
		struct found found;

		memcpy(copy, bytes, from);
		memcpy(copy + from, bytes + from + n, size - from - n);
		assert_true(read_bytes(copy, size - n, &found));
		assert_true(n == 0 || found.missing > 0);
		assert_true(sum(&found) <= recorded());
	}
	free(copy);
}

static void random_bytes_never_do_harm(void **state)
{
	uint8_t *copy = xmalloc(size);
	uint64_t seed = 22;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + random_next(&seed) % 30;
		struct found found;

		memcpy(copy, bytes, size);
		while (n-- > 0)
			copy[random_next(&seed) % size] =
				(uint8_t)random_next(&seed);
		if (read_bytes(copy, size, &found))
			assert_true(sum(&found) <= recorded());
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_file_has_nothing_missing),
		cmocka_unit_test(a_cut_anywhere_leaves_what_was_whole),
		cmocka_unit_test(a_spoilt_byte_costs_the_chunk_it_is_in),
		cmocka_unit_test(a_lost_stretch_costs_what_was_in_it),
		cmocka_unit_test(random_bytes_never_do_harm),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
