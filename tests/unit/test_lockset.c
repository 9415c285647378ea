/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/lockset.h"
#include "random_world.h"

static struct world w;

static uint32_t feed(struct locksets *l, unsigned int kind, uint32_t thread,
		     uint64_t addr)
{
	struct event e = { .kind = (uint8_t)kind,
			   .thread = thread,
			   .addr = addr,
			   .size = 64,
			   .stack = 100 + kind };

	return locksets_feed(l, &e);
}

static void holds_are_told_outermost_first(void **state)
{
	struct locksets *l = locksets_new(NULL);
	struct held_lock *told;
	size_t n;

	(void)state;
	feed(l, EVENT_MUTEX_LOCK, 1, 0x10);
	feed(l, EVENT_RWLOCK_RDLOCK, 1, 0x20);
	feed(l, EVENT_SPIN_LOCK, 1, 0x30);
	told = lockset_tell(l, lockset_of(l, 1), &n);
	assert_int_equal(n, 3);
	assert_int_equal(told[0].addr, 0x10);
	assert_int_equal(told[0].kind, LOCK_MUTEX);
	assert_int_equal(told[1].addr, 0x20);
	assert_int_equal(told[1].kind, LOCK_RWLOCK);
	assert_true(told[1].is_read);
	assert_int_equal(told[2].kind, LOCK_SPIN);
	assert_false(told[2].is_read);
	assert_int_equal(told[2].stack, 100 + EVENT_SPIN_LOCK);
	free(told);
	locksets_free(l);
}

static void equal_sets_have_equal_numbers(void **state)
{
	struct locksets *l = locksets_new(NULL);
	uint32_t both;

	(void)state;
	feed(l, EVENT_MUTEX_LOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_LOCK, 1, 0x20);
	both = lockset_of(l, 1);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10); /* out of order */
	assert_int_equal(lockset_size(l, lockset_of(l, 1)), 1);
	assert_int_equal(
		lock_get(l, lockset_get(l, lockset_of(l, 1))->lock)->addr,
		0x20);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x20);
	assert_int_equal(lockset_of(l, 1), 0);
	feed(l, EVENT_MUTEX_LOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_LOCK, 1, 0x20);
	assert_int_equal(lockset_of(l, 1), both);
	locksets_free(l);
}

static void sections_count_acquisitions_of_lock_and_thread(void **state)
{
	struct locksets *l = locksets_new(NULL);
	const struct lock_hold *h;
	size_t n;

	(void)state;
	feed(l, EVENT_MUTEX_LOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_LOCK, 2, 0x10);
	feed(l, EVENT_MUTEX_UNLOCK, 2, 0x10);
	assert_int_not_equal(feed(l, EVENT_MUTEX_LOCK, 1, 0x10), 0);
	assert_int_equal(feed(l, EVENT_MUTEX_LOCK, 1, 0x10), 0);
	h = lockset_holds(l, 1, &n);
	assert_int_equal(n, 1);
	assert_int_equal(h->section, 2);
	assert_int_equal(h->depth, 2);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10);
	assert_int_equal(lockset_size(l, lockset_of(l, 1)), 1);
	assert_int_equal(lock_get(l, 1)->acquisitions, 4);
	locksets_free(l);
}

static void a_lock_in_new_memory_is_a_new_lock(void **state)
{
	struct locksets *l = locksets_new(NULL);
	uint32_t first, second, third;

	(void)state;
	first = feed(l, EVENT_MUTEX_LOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_DESTROY, 1, 0x10);
	second = feed(l, EVENT_MUTEX_LOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10);
	feed(l, EVENT_FREE, 2, 0x8);
	third = feed(l, EVENT_MUTEX_LOCK, 2, 0x10);
	assert_int_equal(first, 1);
	assert_int_equal(second, 2);
	assert_int_equal(third, 3);
	assert_int_equal(locksets_locks(l), 3);
	locksets_free(l);
}

/* Unlocking what is not held, or what nobody knows, must not hurt. */
static void unmatched_unlocks_are_nothing(void **state)
{
	struct locksets *l = locksets_new(NULL);

	(void)state;
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10);
	feed(l, EVENT_MUTEX_LOCK, 2, 0x10);
	feed(l, EVENT_MUTEX_UNLOCK, 1, 0x10);
	assert_int_equal(lockset_size(l, lockset_of(l, 2)), 1);
	assert_int_equal(lockset_of(l, 1), 0);
	assert_int_equal(lockset_of(l, NO_THREAD), 0);
	locksets_free(l);
}

/* In a simulated world, the sets are what the world says. */
static size_t held_in_world(const struct random_thread *t)
{
	size_t n = (t->rwlock[0] != 0) + (t->rwlock[1] != 0);

	for (unsigned int i = 0; i < RANDOM_LOCKS; i++)
		n += t->depth[i] != 0;
	return n;
}

static void sets_follow_a_simulated_run(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct locksets *l = locksets_new(NULL);

		random_world(&w, seed, WITH_EVERYTHING);
		for (size_t i = 0; i < w.count; i++)
			locksets_feed(l, &w.at[i]);
		for (uint32_t t = 0; t < w.threads; t++)
			assert_int_equal(lockset_size(l, lockset_of(l, t)),
					 held_in_world(&w.thread[t]));
		locksets_free(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_are_told_outermost_first),
		cmocka_unit_test(equal_sets_have_equal_numbers),
		cmocka_unit_test(
			sections_count_acquisitions_of_lock_and_thread),
		cmocka_unit_test(a_lock_in_new_memory_is_a_new_lock),
		cmocka_unit_test(unmatched_unlocks_are_nothing),
		cmocka_unit_test(sets_follow_a_simulated_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
