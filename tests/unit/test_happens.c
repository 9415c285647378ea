/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/happens.h"
#include "random_truth.h"
#include "seeds.h"

enum { WORLDS = 600 };

static struct world w;

/* Compares the clocks with the closure at every event: both agree, or,
 * with `may_exceed`, the clocks order at least what the closure does. */
static void compare(unsigned int by, bool may_exceed, uint64_t seed)
{
	struct happens *h = happens_new(by);
	epoch at[RANDOM_EVENTS + 8];

	for (size_t j = 0; j < w.count; j++) {
		const struct event *e = &w.at[j];
		const struct vclock *clock;

		happens_acquire(h, e);
		clock = happens_clock(h, e->thread);
		at[j] = epoch_make(e->thread, happens_segment(h, e->thread));
		for (size_t i = 0; i < j; i++) {
			bool is = w.at[i].thread == e->thread ||
				  epoch_is_before(at[i], clock);

			if (is == w.before[i][j] ||
			    (may_exceed && is && !w.before[i][j]))
				continue;
			fail_msg("seed %ju: %zu %s of %u, %zu %s of %u: the "
				 "clocks say %d",
				 (uintmax_t)seed, i, event_text(w.at[i].kind),
				 w.at[i].thread, j, event_text(e->kind),
				 e->thread, is);
		}
		happens_release(h, e);
	}
	happens_free(h);
}

static void clocks_are_the_closure_when_order_is_exact(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(WORLDS); seed++) {
		random_world(&w, seed, WITH_EVERYTHING);
		random_close(&w, false, true);
		compare(HAPPENS_ALL | HAPPENS_EXACT, false, seed);
	}
}

static void clocks_are_the_closure_when_any_store_may_be_read(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(WORLDS); seed++) {
		random_world(&w, seed, WITH_EVERYTHING);
		random_close(&w, false, false);
		compare(HAPPENS_ALL, false, seed);
	}
}

static void order_alone_ignores_locks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(WORLDS); seed++) {
		random_world(&w, seed, WITH_EVERYTHING);
		random_close(&w, true, true);
		compare(HAPPENS_ORDER, false, seed);
	}
}

static void crowded_barriers_never_order_too_little(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(WORLDS); seed++) {
		random_world(&w, seed, WITH_BARRIERS | WITH_FULL_BARRIER);
		random_close(&w, false, true);
		compare(HAPPENS_ALL, true, seed);
	}
}

/* ---- facts by hand ---- */

static struct happens *fed(unsigned int by, const struct event *events,
			   size_t count)
{
	struct happens *h = happens_new(by);

	for (size_t i = 0; i < count; i++)
		happens_feed(h, &events[i]);
	return h;
}

#define FED(by, ...)                                                           \
	fed(by, (const struct event[]){ __VA_ARGS__ },                         \
	    sizeof((const struct event[]){ __VA_ARGS__ }) /                    \
		    sizeof(struct event))
#define E(k, t, a)                                                             \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .addr = (a)                  \
	}
#define X(k, t, a, x)                                                          \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .addr = (a), .arg = (x)      \
	}

static bool knows(struct happens *h, uint32_t t, uint32_t other, uint64_t seg)
{
	return epoch_is_before(epoch_make(other, seg), happens_clock(h, t));
}

static void segments_count_releases_in_both_flavours(void **state)
{
	struct happens *h;

	(void)state;
	for (int i = 0; i < 2; i++) {
		h = FED(i ? HAPPENS_ORDER : HAPPENS_ALL, E(MUTEX_LOCK, 0, 8),
			E(MUTEX_UNLOCK, 0, 8), X(ATOMIC_STORE, 0, 16, 0),
			X(ATOMIC_STORE, 0, 16, 3), X(THREAD_CREATE, 0, 0, 1));
		assert_int_equal(happens_segment(h, 0), 3);
		happens_free(h);
	}
}

static void readers_do_not_order_readers(void **state)
{
	struct happens *h = FED(HAPPENS_ALL, E(RWLOCK_RDLOCK, 0, 8),
				E(RWLOCK_UNLOCK, 0, 8), E(RWLOCK_RDLOCK, 1, 8),
				E(RWLOCK_UNLOCK, 1, 8), E(RWLOCK_WRLOCK, 2, 8));

	(void)state;
	assert_false(knows(h, 1, 0, 0));
	assert_true(knows(h, 2, 0, 0));
	assert_true(knows(h, 2, 1, 0));
	happens_free(h);
}

static void a_relaxed_store_ends_a_release_sequence(void **state)
{
	struct happens *exact =
		FED(HAPPENS_ALL | HAPPENS_EXACT, X(ATOMIC_STORE, 0, 8, 3),
		    X(ATOMIC_STORE, 1, 8, 0), X(ATOMIC_LOAD, 2, 8, 2));
	struct happens *loose = FED(HAPPENS_ALL, X(ATOMIC_STORE, 0, 8, 3),
				    X(ATOMIC_STORE, 1, 8, 0),
				    X(ATOMIC_LOAD, 2, 8, 2));

	(void)state;
	assert_false(knows(exact, 2, 0, 0));
	assert_true(knows(loose, 2, 0, 0));
	happens_free(exact);
	happens_free(loose);
}

static void a_timed_out_wait_acquires_nothing(void **state)
{
	struct happens *h = FED(HAPPENS_ALL, E(COND_WAIT, 1, 8),
				E(COND_WAIT, 2, 8), E(COND_SIGNAL, 0, 8),
				X(COND_WAKE, 1, 8, 0),
				X(COND_WAKE, 2, 8, ETIMEDOUT));

	(void)state;
	assert_true(knows(h, 1, 0, 0));
	assert_false(knows(h, 2, 0, 0));
	happens_free(h);
}

static void leaving_a_destroyed_barrier_still_acquires(void **state)
{
	struct happens *h = FED(HAPPENS_ORDER, X(BARRIER_INIT, 0, 8, 2),
				E(BARRIER_ENTER, 0, 8), E(BARRIER_ENTER, 1, 8),
				E(BARRIER_LEAVE, 0, 8),
				E(BARRIER_DESTROY, 0, 8),
				E(BARRIER_LEAVE, 1, 8));

	(void)state;
	assert_true(knows(h, 1, 0, 0));
	happens_free(h);
}

static void a_recycled_address_is_another_object(void **state)
{
	struct happens *h = FED(HAPPENS_ALL, E(MUTEX_LOCK, 0, 8),
				E(MUTEX_UNLOCK, 0, 8),
				{ .kind = EVENT_FREE, .addr = 0, .size = 16 },
				E(MUTEX_LOCK, 1, 8));

	(void)state;
	assert_false(knows(h, 1, 0, 0));
	happens_free(h);
}

static void a_thread_without_recorded_end_is_joined_all_the_same(void **state)
{
	struct happens *h = FED(HAPPENS_ALL, X(THREAD_CREATE, 0, 0, 1),
				X(THREAD_BEGIN, 1, 0, 0), E(MUTEX_LOCK, 1, 8),
				E(MUTEX_UNLOCK, 1, 8), X(THREAD_JOIN, 0, 0, 1));

	(void)state;
	assert_true(knows(h, 0, 1, 1));
	assert_true(happens_is_over(h, 1));
	happens_free(h);
}

static void threads_that_cannot_be_are_nobody(void **state)
{
	struct happens *h = FED(HAPPENS_ALL, X(THREAD_CREATE, 0, 0, NO_THREAD),
				X(THREAD_JOIN, 0, 0, NO_THREAD),
				X(THREAD_JOIN, 0, 0, UINT64_MAX),
				E(MUTEX_LOCK, NO_THREAD, 8),
				E(MUTEX_UNLOCK, NO_THREAD, 8));

	(void)state;
	assert_int_equal(happens_segment(h, 1), 0);
	happens_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_the_closure_when_order_is_exact),
		cmocka_unit_test(
			clocks_are_the_closure_when_any_store_may_be_read),
		cmocka_unit_test(order_alone_ignores_locks),
		cmocka_unit_test(crowded_barriers_never_order_too_little),
		cmocka_unit_test(segments_count_releases_in_both_flavours),
		cmocka_unit_test(readers_do_not_order_readers),
		cmocka_unit_test(a_relaxed_store_ends_a_release_sequence),
		cmocka_unit_test(a_timed_out_wait_acquires_nothing),
		cmocka_unit_test(leaving_a_destroyed_barrier_still_acquires),
		cmocka_unit_test(a_recycled_address_is_another_object),
		cmocka_unit_test(
			a_thread_without_recorded_end_is_joined_all_the_same),
		cmocka_unit_test(threads_that_cannot_be_are_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
