/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/summary.h"

static struct run_summary sum_of(const struct event *events, size_t count)
{
	struct locksets *locks = locksets_new(NULL);
	struct summary_inputs in = { .locks = locks };
	struct summary *s = summary_new(&in);
	struct run_summary sum;

	for (size_t i = 0; i < count; i++) {
		locksets_feed(locks, &events[i]);
		summary_feed(s, &events[i]);
	}
	sum = summary_tell(s);
	summary_free(s);
	locksets_free(locks);
	return sum;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define E(k, t, a, s, n)                                                       \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .addr = (a), .size = (s),    \
		.stack = (n), .stamp = 100 + (n)                               \
	}

static void everything_is_counted_once(void **state)
{
	const struct event events[] = {
		E(ALLOC, 0, 0x100, 64, 1),	 E(WRITE, 0, 0x100, 8, 2),
		E(WRITE, 0, 0x108, 8, 2),	 E(MUTEX_LOCK, 0, 0x500, 0, 3),
		E(MUTEX_UNLOCK, 0, 0x500, 0, 3), E(MUTEX_LOCK, 1, 0x500, 0, 3),
		E(MUTEX_LOCK, 1, 0x600, 0, 3),	 E(READ, 1, 0x100, 4, 4),
		E(ATOMIC_RMW, 1, 0x200, 4, 5),
	};
	struct run_summary s = sum_of(events, COUNT(events));

	(void)state;
	assert_int_equal(s.events, 9);
	assert_int_equal(s.by_kind[EVENT_MUTEX_LOCK], 3);
	assert_int_equal(s.threads, 2);
	assert_int_equal(s.accesses, 3);
	assert_int_equal(s.atomics, 1);
	assert_int_equal(s.shared_granules, 1);
	assert_int_equal(s.shared_objects, 1);
	assert_int_equal(s.stacks, 3);
	assert_int_equal(s.sites, 3);
	assert_int_equal(s.locks, 2);
	assert_int_equal(s.acquisitions, 3);
	assert_int_equal(s.allocations, 1);
	assert_int_equal(s.allocated_bytes, 64);
	assert_int_equal(s.first_stamp, 101);
	assert_int_equal(s.last_stamp, 105);
}

static void memory_that_is_only_read_is_not_shared(void **state)
{
	const struct event events[] = {
		E(READ, 0, 0x100, 8, 1), E(READ, 1, 0x100, 8, 1),
		E(READ, 2, 0x100, 8, 1), E(WRITE, 0, 0x200, 8, 1),
		E(READ, 0, 0x200, 8, 1),
	};
	struct run_summary s = sum_of(events, COUNT(events));

	(void)state;
	assert_int_equal(s.shared_granules, 0);
}

static void memory_used_again_is_other_memory(void **state)
{
	const struct event events[] = {
		E(WRITE, 0, 0x100, 8, 1),  E(FREE, 0, 0x100, 64, 1),
		E(ALLOC, 1, 0x100, 64, 1), E(WRITE, 1, 0x100, 8, 1),
		E(READ, 2, 0x100, 8, 1),   E(READ, 3, 0x100, 8, 1),
	};
	struct run_summary s = sum_of(events, COUNT(events));

	(void)state;
	assert_int_equal(s.shared_granules, 1);
}

static void an_earlier_access_counts_for_its_thread(void **state)
{
	const struct event events[] = {
		{ .kind = EVENT_EARLIER_WRITE,
		  .thread = 2,
		  .addr = 0x100,
		  .size = 8,
		  .arg = earlier_arg(1, 5) },
		E(READ, 2, 0x100, 8, 1),
	};
	struct run_summary s = sum_of(events, COUNT(events));

	(void)state;
	assert_int_equal(s.shared_granules, 1);
	assert_int_equal(s.accesses, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_counted_once),
		cmocka_unit_test(memory_that_is_only_read_is_not_shared),
		cmocka_unit_test(memory_used_again_is_other_memory),
		cmocka_unit_test(an_earlier_access_counts_for_its_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
