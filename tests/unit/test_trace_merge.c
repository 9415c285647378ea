/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/resource.h>

#include "made_trace.h"
#include "seeds.h"
#include "trace/trace_text.h"

static struct made_trace expected;

/* Where the reader is in each thread, and the stamp it must not fall below. */
struct progress {
	size_t at[MADE_THREADS];
	uint64_t reached[MADE_THREADS];
	uint64_t all;
	size_t count;
};

/* The stamp of the thread's next stamped event. */
static uint64_t next_stamp(const struct made_thread *t, size_t at)
{
	for (; at < t->events.count; at++)
		if (event_is_stamped(&t->events.at[at]))
			return t->events.at[at].stamp;
	return UINT64_MAX;
}

static void check_event(struct progress *p, const struct event *e)
{
	const struct made_thread *t = &expected.thread[e->thread];
	size_t at = p->at[e->thread]++;

	assert_true(at < t->events.count);
	assert_true(event_equals(e, &t->events.at[at]));
	assert_true(e->stamp >= p->reached[e->thread]);
	assert_true(e->stamp <= next_stamp(t, at));
	p->reached[e->thread] = e->stamp;
	p->count++;
}

static void check_complete(const struct progress *p)
{
	for (uint32_t n = 0; n < expected.threads; n++)
		assert_int_equal(p->at[n], expected.thread[n].events.count);
}

static struct trace *open_random(uint64_t seed, uint32_t threads, size_t events)
{
	char *path = random_path();
	struct err err;
	struct trace *t;

	made_trace_write(&expected, seed, threads, events, path);
	t = trace_open(path, &err);
	unlink(path);
	free(path);
	assert_non_null(t);
	return t;
}

static void merging_sorts_and_keeps_each_threads_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(40); seed++) {
		struct trace *t =
			open_random(seed, 1 + seed % MADE_THREADS, seed * 250);
		struct event e;

		for (int round = 0; round < 2; round++) {
			struct progress p = { 0 };

			while (trace_next(t, &e)) {
				assert_true(e.stamp >= p.all);
				p.all = e.stamp;
				check_event(&p, &e);
			}
			check_complete(&p);
			assert_int_equal(trace_next(t, &e), 0);
			trace_rewind(t);
		}
		assert_int_equal(trace_missing(t), 0);
		trace_close(t);
		made_trace_free(&expected);
	}
}

static void the_unordered_way_gives_the_same_events(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(20); seed++) {
		struct trace *t =
			open_random(seed, 1 + seed % MADE_THREADS, seed * 250);
		struct progress p = { 0 };
		struct event e;

		while (trace_next_unordered(t, &e))
			check_event(&p, &e);
		check_complete(&p);
		assert_int_equal(p.count, trace_end(t)->events);
		trace_close(t);
		made_trace_free(&expected);
	}
}

static void rewinding_in_the_middle_starts_again(void **state)
{
	struct trace *t = open_random(3, 4, 3000);
	struct event first, e;

	(void)state;
	assert_int_equal(trace_next(t, &first), 1);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(trace_next(t, &e), 1);
	trace_rewind(t);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(trace_next_unordered(t, &e), 1);
	trace_rewind(t);
	assert_int_equal(trace_next(t, &e), 1);
	assert_true(event_equals(&first, &e) && first.stamp == e.stamp);
	trace_close(t);
	made_trace_free(&expected);
}

static void accesses_are_spread_between_the_stamps_around_them(void **state)
{
	static const uint64_t stamps[] = { 100, 125, 150, 175, 200, 200 };
	struct err err;
	struct trace *t = trace_from_text("0 mutex-lock 1 stamp=100\n"
					  "0 write 8\n"
					  "0 write 8\n"
					  "0 read 8\n"
					  "0 mutex-unlock 1 stamp=200\n"
					  "0 read 8\n",
					  &err);
	struct event e;

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
		assert_int_equal(trace_next(t, &e), 1);
		assert_int_equal(e.stamp, stamps[i]);
	}
	trace_close(t);
}

/* More of them than the reader decodes at once. */
static void many_accesses_are_spread_as_evenly(void **state)
{
	enum { COUNT = 700 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct err err;
	struct trace *t;
	struct event e;

	(void)state;
	fputs("0 mutex-lock 1 stamp=1000\n", out);
	for (int i = 0; i < COUNT; i++)
		fputs("0 write 8\n", out);
	fprintf(out, "0 mutex-unlock 1 stamp=%d\n", 1000 + 10 * (COUNT + 1));
	fclose(out);
	t = trace_from_text(text, &err);
	assert_non_null(t);
	for (uint64_t i = 0; trace_next(t, &e); i++)
		assert_int_equal(e.stamp, 1000 + 10 * i);
	trace_close(t);
	free(text);
}

static void equal_stamps_come_in_the_order_of_the_file(void **state)
{
	static const uint32_t threads[] = { 2, 0, 1, 0 };
	struct err err;
	struct trace *t = trace_from_text("2 time stamp=5\n0 time stamp=5\n"
					  "1 time stamp=5\n0 time stamp=5\n",
					  &err);
	struct event e;

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(trace_next(t, &e), 1);
		assert_int_equal(e.thread, threads[i]);
	}
	trace_close(t);
}

static void a_late_chunk_of_an_early_thread_is_found(void **state)
{
	struct err err;
	struct trace *t = trace_from_text("1 time stamp=50\n2 time stamp=60\n"
					  "1 time stamp=70\n0 time stamp=10\n",
					  &err);
	struct event e;

	(void)state;
	assert_non_null(t);
	for (uint64_t before = 0; trace_next(t, &e); before = e.stamp)
		assert_true(e.stamp >= before);
	trace_rewind(t);
	assert_int_equal(trace_next(t, &e), 1);
	assert_int_equal(e.thread, 0);
	trace_close(t);
}

/* Each of many threads lives for a chunk, one after the other. */
static char *make_short_lives(uint32_t threads)
{
	struct trace_info info = { .mode = MODE_OBSERVE };
	struct trace_end end = { .closed = 1 };
	char *path = random_path();
	struct err err;
	struct trace_writer *w = trace_create(path, &info, &err);
	uint64_t stamp = 1;

	assert_non_null(w);
	for (uint32_t n = 0; n < threads; n++) {
		uint8_t bytes[REGION_SLOT_BYTES], *p = bytes;
		struct codec codec = { 0 };
		struct event e = { .kind = EVENT_THREAD_BEGIN, .stamp = stamp };

		p = codec_put_event(&codec, p, &e);
		while (p + 2 * CODEC_MAX < bytes + sizeof(bytes))
			p = codec_put_access(&codec, p, 1, 2, 64, n);
		e = (struct event){ .kind = EVENT_THREAD_END,
				    .stamp = stamp += 1000 };
		p = codec_put_event(&codec, p, &e);
		assert_int_equal(trace_write_events(w, n, 0, 0, bytes,
						    (size_t)(p - bytes), &err),
				 0);
	}
	assert_int_equal(trace_finish(w, &end, &err), 0);
	return path;
}

static long peak_kilobytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void memory_does_not_grow_with_the_length(void **state)
{
	char *small = make_short_lives(20), *large = make_short_lives(3000);
	struct err err;
	struct event e;
	struct trace *t = trace_open(small, &err);
	long before;

	(void)state;
	assert_non_null(t);
	while (trace_next(t, &e))
		;
	trace_close(t);
	before = peak_kilobytes();
	t = trace_open(large, &err);
	assert_non_null(t);
	for (uint64_t last = 0; trace_next(t, &e); last = e.stamp)
		assert_true(e.stamp >= last);
	assert_int_equal(trace_missing(t), 0);
	/* 3000 chunks opened at once would be 130 MiB. */
	assert_true(peak_kilobytes() - before < 16 << 10);
	trace_close(t);
	unlink(small);
	unlink(large);
	free(small);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_sorts_and_keeps_each_threads_order),
		cmocka_unit_test(the_unordered_way_gives_the_same_events),
		cmocka_unit_test(rewinding_in_the_middle_starts_again),
		cmocka_unit_test(
			accesses_are_spread_between_the_stamps_around_them),
		cmocka_unit_test(many_accesses_are_spread_as_evenly),
		cmocka_unit_test(equal_stamps_come_in_the_order_of_the_file),
		cmocka_unit_test(a_late_chunk_of_an_early_thread_is_found),
		cmocka_unit_test(memory_does_not_grow_with_the_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
