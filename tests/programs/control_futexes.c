/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futexes under control, as programs build their locks of: nobody sleeps past a
 * change of the word, who is woken is counted, and those moved are woken at
 * their new place.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };

static _Atomic uint32_t word, place, arrived;

static long futex(_Atomic uint32_t *at, int operation, uint32_t value,
		  const void *timeout, _Atomic uint32_t *other,
		  uint32_t other_value)
{
	return syscall(SYS_futex, at, operation, value, timeout, other,
		       other_value);
}

/* ---- a lock: 0 free, 1 taken, 2 taken and awaited ---- */

static int count;

static void take(void)
{
	uint32_t free = 0;

	if (atomic_compare_exchange_strong(&word, &free, 1))
		return;
	while (atomic_exchange(&word, 2))
		futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void give(void)
{
	if (atomic_exchange(&word, 0) == 2)
		futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *add(void *unused)
{
	for (int i = 0; i < 3; i++) {
		take();
		count++;
		give();
	}
	return unused;
}

static void run(void *(*what)(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, what, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
}

/* ---- moving ---- */

static void *sleep_once(void *unused)
{
	atomic_fetch_add(&arrived, 1);
	while (futex(&word, FUTEX_WAIT, 7, NULL, NULL, 0) == -1)
		if (errno == EAGAIN)
			break;
	return unused;
}

static void moved(void)
{
	pthread_t threads[THREADS];
	long done = 0;

	word = 7;
	place = arrived = 0;
	for (int i = 0; i < THREADS; i++)
		assert(!pthread_create(&threads[i], NULL, sleep_once, NULL));
	/* Whoever is not asleep by then finds another word. */
	while (atomic_load(&arrived) < THREADS)
		sched_yield();
	assert(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)(uintptr_t)INT_MAX,
		     &place, 8) == -1 &&
	       errno == EAGAIN);
	done += futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)(uintptr_t)INT_MAX,
		      &place, 7);
	assert(done >= 0 && done <= THREADS);
	atomic_store(&word, 8);
	assert(futex(&place, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) ==
	       (done ? done - 1 : 0));
	done += futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	assert(done <= THREADS);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
}

/* ---- by bits ---- */

static void *sleep_by_bits(void *bits)
{
	while (atomic_load(&word) == 0)
		futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL,
		      (uint32_t)(uintptr_t)bits);
	return NULL;
}

static void chosen(void)
{
	pthread_t one, two;
	long woken;

	word = 0;
	assert(!pthread_create(&one, NULL, sleep_by_bits, (void *)1));
	assert(!pthread_create(&two, NULL, sleep_by_bits, (void *)2));
	woken = futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 4);
	assert(woken == 0);
	atomic_store(&word, 1);
	woken = futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 1);
	assert(woken == 0 || woken == 1);
	woken = futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 2);
	assert(woken == 0 || woken == 1);
	assert(pthread_join(one, NULL) == 0);
	assert(pthread_join(two, NULL) == 0);
}

/* ---- with another word ---- */

static void operated(void)
{
	word = 0;
	place = 5;
	assert(futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &place,
		     (uint32_t)FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 5)) ==
	       0);
	assert(place == 8);
	assert(futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &place,
		     (uint32_t)FUTEX_OP(FUTEX_OP_ANDN, 8, FUTEX_OP_CMP_GT,
					100)) == 0);
	assert(place == 0);
}

static void timed(void)
{
	const struct timespec soon = { 0, 1000 }, wrong = { 0, -1 };
	const struct timespec past = { 1, 0 };

	word = 3;
	assert(futex(&word, FUTEX_WAIT, 4, NULL, NULL, 0) == -1 &&
	       errno == EAGAIN);
	assert(futex(&word, FUTEX_WAIT, 3, &soon, NULL, 0) == -1 &&
	       errno == ETIMEDOUT);
	assert(futex(&word, FUTEX_WAIT, 3, &wrong, NULL, 0) == -1 &&
	       errno == EINVAL);
	assert(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 3, &past,
		     NULL, FUTEX_BITSET_MATCH_ANY) == -1 &&
	       errno == ETIMEDOUT);
	assert(futex(&word, FUTEX_WAIT_BITSET, 3, NULL, NULL, 0) == -1 &&
	       errno == EINVAL);
}

int main(void)
{
	run(add);
	assert(count == 3 * THREADS);
	moved();
	chosen();
	operated();
	timed();
	return 0;
}
