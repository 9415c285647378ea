/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes under control: every type, protocol and way of locking gives what it
 * gives without control. A thread that ends with a robust mutex leaves it to
 * the next, who is told so.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

enum { THREADS = 3 };

static const struct timespec past = { 1, 0 }, wrong = { 0, 1000000000 };
static pthread_mutex_t mutex;
static int count;

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t attr;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, type) == 0);
	assert(pthread_mutexattr_setrobust(&attr, robust) == 0);
	assert(pthread_mutexattr_setprotocol(&attr, protocol) == 0);
	if (protocol == PTHREAD_PRIO_PROTECT)
		assert(pthread_mutexattr_setprioceiling(&attr, 1) == 0);
	assert(pthread_mutex_init(&mutex, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
}

/* libc refuses a thread's first mutex with a ceiling, if the thread has no
 * priority of its own. */
static int lock_with_ceiling(void)
{
	int rc = pthread_mutex_lock(&mutex);

	return rc == EINVAL ? pthread_mutex_lock(&mutex) : rc;
}

static void *add(void *unused)
{
	for (int i = 0; i < 3; i++) {
		assert(lock_with_ceiling() == 0);
		count++;
		assert(pthread_mutex_unlock(&mutex) == 0);
	}
	return unused;
}

static void alone(int type)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	switch (type) {
	case PTHREAD_MUTEX_RECURSIVE:
		assert(pthread_mutex_lock(&mutex) == 0);
		assert(pthread_mutex_trylock(&mutex) == 0);
		assert(pthread_mutex_timedlock(&mutex, &past) == 0);
		for (int i = 0; i < 3; i++)
			assert(pthread_mutex_unlock(&mutex) == 0);
		break;
	case PTHREAD_MUTEX_ERRORCHECK:
		assert(pthread_mutex_lock(&mutex) == EDEADLK);
		assert(pthread_mutex_timedlock(&mutex, &past) == EDEADLK);
		assert(pthread_mutex_trylock(&mutex) == EBUSY);
		break;
	default:
		assert(pthread_mutex_trylock(&mutex) == EBUSY);
		assert(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
		assert(pthread_mutex_timedlock(&mutex, &wrong) == EINVAL);
		assert(pthread_mutex_clocklock(&mutex, CLOCK_TAI, &past) ==
		       EINVAL);
	}
	assert(pthread_mutex_unlock(&mutex) == 0);
	if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
		assert(pthread_mutex_unlock(&mutex) == EPERM);
}

static void exclusive(int type, int robust, int protocol)
{
	pthread_t threads[THREADS];

	make(type, robust, protocol);
	count = 0;
	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, add, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(count == 3 * THREADS);
	if (protocol == PTHREAD_PRIO_NONE && robust == PTHREAD_MUTEX_STALLED)
		alone(type);
	assert(pthread_mutex_destroy(&mutex) == 0);
}

static int owners_died;

static void *die_with_it(void *unused)
{
	int rc = pthread_mutex_lock(&mutex);

	if (rc == EOWNERDEAD) {
		owners_died++;
		assert(pthread_mutex_consistent(&mutex) == 0);
	} else {
		assert(rc == 0);
	}
	return unused;
}

/* All but the first find that somebody died with it, whoever waits. */
static void left_behind(int protocol)
{
	pthread_t threads[THREADS];

	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, protocol);
	owners_died = 0;
	for (int i = 0; i < THREADS; i++)
		assert(!pthread_create(&threads[i], NULL, die_with_it, NULL));
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(owners_died == THREADS - 1);
	assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
	/* Not made consistent: lost for ever. */
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
	assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
	assert(pthread_mutex_destroy(&mutex) == 0);
}

static void *try_for_a_while(void *got)
{
	struct timespec at;
	int rc;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec++;
	rc = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &at);
	assert(rc == 0 || rc == ETIMEDOUT);
	*(int *)got = rc == 0;
	if (rc == 0)
		assert(pthread_mutex_unlock(&mutex) == 0);
	return NULL;
}

/* As long as we have it, time is all that can come. */
static void timed(void)
{
	pthread_t thread;
	int got;

	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_create(&thread, NULL, try_for_a_while, &got) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(!got);
	assert(pthread_create(&thread, NULL, try_for_a_while, &got) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(pthread_mutex_destroy(&mutex) == 0);
}

int main(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL,
				     PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ERRORCHECK,
				     PTHREAD_MUTEX_ADAPTIVE_NP };

	for (int i = 0; i < 4; i++)
		exclusive(types[i], PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	exclusive(types[0], PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	exclusive(types[1], PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	exclusive(types[0], PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
	left_behind(PTHREAD_PRIO_NONE);
	left_behind(PTHREAD_PRIO_INHERIT);
	timed();
	return 0;
}
