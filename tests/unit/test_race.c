/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/race.h"
#include "random_truth.h"

static struct world w;

struct result {
	struct race_finding *at;
	size_t count;
};

static struct result find(const struct event *events, size_t count)
{
	struct happens *order = happens_new(HAPPENS_ALL | HAPPENS_EXACT);
	struct locksets *locks = locksets_new(NULL);
	struct race_inputs in = { .order = order, .locks = locks };
	struct races *r = races_new(&in);
	struct result found;

	for (size_t i = 0; i < count; i++) {
		happens_acquire(order, &events[i]);
		locksets_feed(locks, &events[i]);
		races_feed(r, &events[i]);
		happens_release(order, &events[i]);
	}
	found.at = races_take(r, &found.count);
	races_free(r);
	locksets_free(locks);
	happens_free(order);
	return found;
}

static void done(struct result *r)
{
	for (size_t i = 0; i < r->count; i++)
		race_done(&r->at[i]);
	free(r->at);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define E(k, t, a, s)                                                          \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .addr = (a), .size = (s),    \
		.stack = 10 * (t) + 1, .stamp = 7                              \
	}
#define X(k, t, a, x)                                                          \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .addr = (a), .size = 4,      \
		.arg = (x), .stack = 10 * (t) + 2                              \
	}

static size_t races_in(const struct event *events, size_t count)
{
	struct result r = find(events, count);
	size_t n = r.count;

	done(&r);
	return n;
}

#define RACES(...)                                                             \
	races_in((const struct event[]){ __VA_ARGS__ },                        \
		 COUNT(((const struct event[]){ __VA_ARGS__ })))

static void a_finding_tells_both_sides(void **state)
{
	const struct event events[] = {
		E(MUTEX_LOCK, 1, 0x500, 0),
		E(WRITE, 1, 0x100, 8),
		E(READ, 2, 0x104, 2),
	};
	struct result r = find(events, COUNT(events));
	const struct race_finding *f = r.at;

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(f->addr, 0x104);
	assert_int_equal(f->size, 2);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->where.kind, LOCATION_UNKNOWN);
	assert_int_equal(f->first.thread, 1);
	assert_int_equal(f->first.kind, EVENT_WRITE);
	assert_true(f->first.is_write);
	assert_false(f->first.is_atomic);
	assert_int_equal(f->first.stack, 11);
	assert_int_equal(f->first.addr, 0x100);
	assert_int_equal(f->first.size, 8);
	assert_int_equal(f->first.stamp, 7);
	assert_int_equal(f->first.lock_count, 1);
	assert_int_equal(f->first.locks[0].addr, 0x500);
	assert_int_equal(f->second.thread, 2);
	assert_false(f->second.is_write);
	assert_int_equal(f->second.lock_count, 0);
	done(&r);
}

static void a_pair_of_sites_is_told_once_and_counted(void **state)
{
	const struct event events[] = {
		E(WRITE, 1, 0x100, 4), E(WRITE, 2, 0x100, 4),
		E(WRITE, 1, 0x200, 4), E(WRITE, 2, 0x200, 4),
		E(WRITE, 2, 0x300, 4), E(WRITE, 1, 0x300, 4),
	};
	struct result r = find(events, COUNT(events));

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(r.at[0].count, 3);
	done(&r);
}

static void a_range_is_one_occurrence(void **state)
{
	const struct event events[] = { E(WRITE, 1, 0x100, 1000),
					E(READ, 2, 0x101, 900) };
	struct result r = find(events, COUNT(events));

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(r.at[0].count, 1);
	done(&r);
}

static void neighbours_in_a_word_do_not_race(void **state)
{
	(void)state;
	assert_int_equal(RACES(E(WRITE, 1, 0x100, 4), E(WRITE, 2, 0x104, 4)),
			 0);
	assert_int_equal(RACES(E(WRITE, 1, 0x106, 4), E(WRITE, 2, 0x109, 1)),
			 1);
	assert_int_equal(RACES(E(WRITE, 1, 0x106, 4), E(WRITE, 2, 0x10a, 1)),
			 0);
}

static void atomics_race_with_plain_accesses_only(void **state)
{
	(void)state;
	assert_int_equal(RACES(X(ATOMIC_STORE, 1, 0x100, 0),
			       X(ATOMIC_STORE, 2, 0x100, 0)),
			 0);
	assert_int_equal(
		RACES(X(ATOMIC_STORE, 1, 0x100, 0), E(READ, 2, 0x100, 4)), 1);
	assert_int_equal(
		RACES(X(ATOMIC_LOAD, 1, 0x100, 0), E(READ, 2, 0x100, 4)), 0);
	assert_int_equal(
		RACES(X(ATOMIC_LOAD, 1, 0x100, 0), E(WRITE, 2, 0x100, 4)), 1);
}

/* Plain initialisation, then publication by a release store of the same
 * variable: the acquire load comes after it. */
static void an_acquire_load_sees_what_it_acquires(void **state)
{
	(void)state;
	assert_int_equal(RACES(E(WRITE, 1, 0x100, 4),
			       X(ATOMIC_STORE, 1, 0x100, 3),
			       X(ATOMIC_LOAD, 2, 0x100, 2)),
			 0);
	assert_int_equal(RACES(E(WRITE, 1, 0x100, 4),
			       X(ATOMIC_STORE, 1, 0x100, 3),
			       X(ATOMIC_LOAD, 2, 0x100, 0)),
			 1);
}

static void freeing_is_a_write_and_allocating_a_new_start(void **state)
{
	(void)state;
	assert_int_equal(RACES(E(READ, 1, 0x108, 4), E(FREE, 2, 0x100, 32)), 1);
	assert_int_equal(RACES(E(FREE, 2, 0x100, 32), E(READ, 1, 0x11f, 1)), 1);
	assert_int_equal(RACES(E(FREE, 2, 0x100, 31), E(READ, 1, 0x11f, 1)), 0);
	assert_int_equal(RACES(E(WRITE, 1, 0x108, 4), E(ALLOC, 2, 0x100, 32),
			       E(WRITE, 2, 0x108, 4)),
			 0);
	assert_int_equal(RACES(E(WRITE, 1, 0x108, 4), E(ALLOC, 2, 0x10c, 32),
			       E(WRITE, 2, 0x108, 4)),
			 1);
	assert_int_equal(RACES(E(WRITE, 1, 0x5000, 4), E(UNMAP, 2, 0, 0x9000),
			       E(WRITE, 2, 0x5000, 4)),
			 0);
}

/* As the guest records it: a write to the whole block, then its end. */
static void the_write_of_a_free_is_told_as_a_free(void **state)
{
	const struct event events[] = { E(READ, 1, 0x108, 4),
					E(WRITE, 2, 0x100, 32),
					E(FREE, 2, 0x100, 32) };
	struct result r = find(events, COUNT(events));

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(r.at->count, 1);
	assert_int_equal(r.at->second.kind, EVENT_FREE);
	assert_true(r.at->second.is_write);
	done(&r);
}

static void an_earlier_access_is_told_with_its_own_thread(void **state)
{
	const struct event events[] = {
		{ .kind = EVENT_EARLIER_WRITE,
		  .thread = 2,
		  .addr = 0x100,
		  .size = 4,
		  .stack = 11,
		  .arg = earlier_arg(1, 0) },
		E(READ, 2, 0x100, 4),
	};
	struct result r = find(events, COUNT(events));

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(r.at->first.thread, 1);
	assert_int_equal(r.at->first.kind, EVENT_WRITE);
	assert_true(r.at->first.is_earlier);
	assert_int_equal(r.at->first.stack, 11);
	done(&r);
}

static void an_earlier_access_is_ordered_by_its_segment(void **state)
{
	const struct event events[] = {
		E(MUTEX_LOCK, 1, 0x500, 0),
		E(MUTEX_UNLOCK, 1, 0x500, 0),
		E(MUTEX_LOCK, 2, 0x500, 0),
		{ .kind = EVENT_EARLIER_WRITE,
		  .thread = 2,
		  .addr = 0x100,
		  .size = 4,
		  .stack = 11,
		  .arg = earlier_arg(1, 0) },
		E(READ, 2, 0x100, 4),
		{ .kind = EVENT_EARLIER_WRITE,
		  .thread = 2,
		  .addr = 0x200,
		  .size = 4,
		  .stack = 12,
		  .arg = earlier_arg(1, 1) },
		E(READ, 2, 0x200, 4),
	};
	struct result r = find(events, COUNT(events));

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(r.at->addr, 0x200);
	done(&r);
}

/* Thread 1 is joined and its clock gone, so nothing proves the race when the
 * access of thread 2 is told; its next one shows it. */
static void an_access_after_one_told_afterwards_is_no_repetition(void **state)
{
	const struct event earlier = { .kind = EVENT_EARLIER_WRITE,
				       .thread = 3,
				       .addr = 0x100,
				       .size = 4,
				       .stack = 12,
				       .arg = earlier_arg(2, 0) };

	(void)state;
	assert_int_equal(RACES(E(WRITE, 1, 0x100, 4), E(THREAD_END, 1, 0, 0),
			       X(THREAD_JOIN, 0, 0, 1), earlier),
			 0);
	assert_int_equal(RACES(E(WRITE, 1, 0x100, 4), E(THREAD_END, 1, 0, 0),
			       X(THREAD_JOIN, 0, 0, 1), earlier,
			       E(WRITE, 2, 0x100, 4)),
			 1);
	assert_int_equal(RACES(E(WRITE, 1, 0x100, 4), earlier), 1);
}

/* The read is shown before the write it may race with, and only the end of
 * the writer's segment tells whether it does. */
static void an_earlier_access_is_settled_when_its_segment_ends(void **state)
{
	const struct event earlier = { .kind = EVENT_EARLIER_WRITE,
				       .thread = 3,
				       .addr = 0x100,
				       .size = 4,
				       .stack = 12,
				       .arg = earlier_arg(1, 0) };

	(void)state;
	assert_int_equal(RACES(E(READ, 2, 0x100, 4), E(MUTEX_LOCK, 2, 8, 0),
			       E(MUTEX_UNLOCK, 2, 8, 0), earlier,
			       E(SEM_POST, 1, 16, 0), E(MUTEX_LOCK, 1, 8, 0)),
			 1);
	assert_int_equal(RACES(E(READ, 2, 0x100, 4), E(MUTEX_LOCK, 2, 8, 0),
			       E(MUTEX_UNLOCK, 2, 8, 0), earlier,
			       E(MUTEX_LOCK, 1, 8, 0), E(SEM_POST, 1, 16, 0)),
			 0);
}

static void benign_bytes_are_not_told(void **state)
{
	(void)state;
	assert_int_equal(RACES(E(NOTE_BENIGN, 0, 0x100, 4),
			       E(WRITE, 1, 0x100, 4), E(WRITE, 2, 0x100, 4)),
			 0);
	assert_int_equal(RACES(E(NOTE_BENIGN, 0, 0x100, 4),
			       E(WRITE, 1, 0x100, 8), E(WRITE, 2, 0x102, 4)),
			 1);
	assert_int_equal(RACES(E(NOTE_BENIGN, 0, 0x100, 4),
			       E(ALLOC, 0, 0x100, 16), E(WRITE, 1, 0x100, 4),
			       E(WRITE, 2, 0x100, 4)),
			 1);
}

static void ignored_regions_are_not_seen(void **state)
{
	(void)state;
	assert_int_equal(RACES(X(NOTE_IGNORE, 1, 0, 1), X(NOTE_IGNORE, 1, 0, 1),
			       X(NOTE_IGNORE, 1, 0, 0), E(WRITE, 1, 0x100, 4),
			       E(WRITE, 2, 0x100, 4)),
			 0);
	assert_int_equal(RACES(X(NOTE_IGNORE, 1, 0, 1), X(NOTE_IGNORE, 1, 0, 0),
			       X(NOTE_IGNORE, 1, 0, 0), E(WRITE, 1, 0x100, 4),
			       E(WRITE, 2, 0x100, 4)),
			 1);
}

static void memory_in_other_hands_does_not_race_with_its_past(void **state)
{
	struct happens *order = happens_new(HAPPENS_ALL);
	struct race_inputs in = { .order = order };
	struct races *r = races_new(&in);
	struct event a = E(WRITE, 1, 0x100, 4), b = E(WRITE, 2, 0x100, 4);
	size_t n;

	(void)state;
	races_feed(r, &a);
	races_forget(r, 0x80, 0x100);
	races_feed(r, &b);
	free(races_take(r, &n));
	assert_int_equal(n, 0);
	races_free(r);
	happens_free(order);
}

/* A world has a finding iff it has a race; and every finding is one. */
static void a_run_has_findings_iff_it_has_races(void **state)
{
	unsigned int with = 0, without = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		unsigned int what = WITH_EVERYTHING;
		bool is_racy = false;
		struct result r;

		random_world(&w, seed, what);
		w.count = 20 + seed % 60;
		random_close(&w, false, true);
		r = find(w.at, w.count);
		for (size_t i = 0; i < r.count; i++)
			assert_true(random_races(&w, r.at[i].first.stack - 1,
						 r.at[i].second.stack - 1,
						 r.at[i].addr));
		for (size_t j = 0; j < w.count; j++)
			for (size_t i = 0; i < j; i++)
				for (uint64_t b = 0; b < 32; b++)
					is_racy |=
						random_races(&w, i, j,
							     RANDOM_DATA + b) ||
						random_races(&w, i, j,
							     RANDOM_BLOCK + b);
		if (is_racy != (r.count != 0))
			fail_msg("seed %ju: %zu findings", (uintmax_t)seed,
				 r.count);
		with += is_racy;
		without += !is_racy;
		done(&r);
	}
	assert_true(with > 50 && without > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finding_tells_both_sides),
		cmocka_unit_test(a_pair_of_sites_is_told_once_and_counted),
		cmocka_unit_test(a_range_is_one_occurrence),
		cmocka_unit_test(neighbours_in_a_word_do_not_race),
		cmocka_unit_test(atomics_race_with_plain_accesses_only),
		cmocka_unit_test(an_acquire_load_sees_what_it_acquires),
		cmocka_unit_test(freeing_is_a_write_and_allocating_a_new_start),
		cmocka_unit_test(the_write_of_a_free_is_told_as_a_free),
		cmocka_unit_test(
			an_earlier_access_is_settled_when_its_segment_ends),
		cmocka_unit_test(an_earlier_access_is_told_with_its_own_thread),
		cmocka_unit_test(an_earlier_access_is_ordered_by_its_segment),
		cmocka_unit_test(
			an_access_after_one_told_afterwards_is_no_repetition),
		cmocka_unit_test(benign_bytes_are_not_told),
		cmocka_unit_test(ignored_regions_are_not_seen),
		cmocka_unit_test(
			memory_in_other_hands_does_not_race_with_its_past),
		cmocka_unit_test(a_run_has_findings_iff_it_has_races),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
