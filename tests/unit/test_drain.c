/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "format/codec.h"
#include "trial/drain.h"

enum { BACKLOG = 3000, THREADS = 2 };

/* One event, the sequence number of which is its address. */
static void fill(struct region *r, uint32_t n, uint32_t thread,
		 uint32_t sequence)
{
	struct codec codec = { .stamp = sequence };
	struct event e = { .kind = EVENT_MUTEX_LOCK,
			   .addr = sequence,
			   .stamp = sequence };
	struct region_slot *s = &r->slots[n];

	s->thread = thread;
	s->sequence = sequence;
	s->first_stamp = sequence;
	s->used = (uint32_t)(codec_put_event(&codec, r->data[n], &e) -
			     r->data[n]);
	s->state = SLOT_FULL;
}

/* The last ones lie in front, as they do when slots are used again. */
static void fill_backwards(struct region *r)
{
	for (uint32_t i = 0; i < BACKLOG; i++)
		fill(r, BACKLOG - 1 - i, i % THREADS, i / THREADS);
	r->slots_made = BACKLOG;
	for (uint32_t i = 0; i < THREADS; i++)
		r->threads[i].parent = i ? 0 : NO_THREAD;
	r->thread_count = THREADS;
	r->stack_count = 1;
}

static void check_all_there(const char *path)
{
	struct err err = { 0 };
	struct trace *t = trace_open(path, &err);
	uint64_t next[THREADS] = { 0 };
	struct event e;

	assert_non_null(t);
	while (trace_next(t, &e))
		assert_int_equal(e.addr, next[e.thread]++);
	assert_int_equal(trace_missing(t), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(next[i], BACKLOG / THREADS);
	trace_close(t);
}

static void a_long_backlog_reaches_the_trace_in_order(void **state)
{
	char path[] = "/tmp/test_drain-XXXXXX";
	struct trace_info info = { .mode = MODE_OBSERVE };
	struct trace_end end = { .closed = 1 };
	struct err err = { 0 };
	struct drain d;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(drain_init(&d, MODE_OBSERVE, 0, &err), 0);
	d.writer = trace_create(path, &info, &err);
	assert_non_null(d.writer);
	fill_backwards(d.region);
	drain_full(&d);
	for (uint32_t i = 0; i < BACKLOG; i++)
		assert_int_equal(d.region->slots[i].state, SLOT_FREE);
	drain_rest(&d);
	assert_int_equal(trace_finish(d.writer, &end, &err), 0);
	drain_done(&d);
	check_all_there(path);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_backlog_reaches_the_trace_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
