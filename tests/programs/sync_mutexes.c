/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every type of mutex, and every way to take one. "trace N" is what thread N
 * records of synchronisation, with the argument where there is one.
 *
 * static and normal:
 * trace 0: mutex-lock mutex-unlock mutex-lock:tried mutex-fail:EBUSY
 * trace 0: mutex-fail:ETIMEDOUT mutex-fail:ETIMEDOUT mutex-fail:ETIMEDOUT
 * trace 0: mutex-unlock
 * trace 0: mutex-init mutex-lock mutex-unlock mutex-lock mutex-unlock
 * trace 0: mutex-destroy
 * recursive:
 * trace 0: mutex-init:1 mutex-lock mutex-lock mutex-lock:tried mutex-unlock
 * trace 0: mutex-unlock mutex-unlock mutex-fail:EPERM mutex-destroy
 * error checking:
 * trace 0: mutex-init:2 mutex-fail:EPERM mutex-lock mutex-fail:EDEADLK
 * trace 0: mutex-unlock mutex-destroy
 * trace 1: mutex-fail:EPERM
 * robust, made consistent:
 * trace 0: mutex-init:256 mutex-lock:EOWNERDEAD mutex-unlock mutex-lock
 * trace 0: mutex-unlock mutex-fail:EPERM mutex-destroy
 * trace 2: mutex-lock
 * robust, given up:
 * trace 0: mutex-init:256 mutex-lock:tried+EOWNERDEAD mutex-unlock
 * trace 0: mutex-fail:ENOTRECOVERABLE mutex-destroy
 * trace 3: mutex-lock
 * priority inheritance, and process-shared:
 * trace 0: mutex-init mutex-lock mutex-unlock mutex-destroy
 * trace 0: mutex-init:512 mutex-lock mutex-unlock mutex-destroy
 * adaptive:
 * trace 0: mutex-init:3 mutex-lock mutex-unlock mutex-destroy
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static const struct timespec past = { .tv_sec = 1 };

static void in_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, run, arg) == 0);
	assert(pthread_join(thread, NULL) == 0);
}

static void init(pthread_mutex_t *m, int type, int robust, int shared)
{
	pthread_mutexattr_t attr;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, type) == 0);
	assert(pthread_mutexattr_setrobust(&attr, robust) == 0);
	assert(pthread_mutexattr_setpshared(&attr, shared) == 0);
	assert(pthread_mutex_init(m, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
}

static void normal(void)
{
	static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t m;

	assert(pthread_mutex_lock(&fixed) == 0);
	assert(pthread_mutex_unlock(&fixed) == 0);
	assert(pthread_mutex_trylock(&fixed) == 0);
	assert(pthread_mutex_trylock(&fixed) == EBUSY);
	assert(pthread_mutex_timedlock(&fixed, &past) == ETIMEDOUT);
	assert(pthread_mutex_clocklock(&fixed, CLOCK_REALTIME, &past) ==
	       ETIMEDOUT);
	assert(pthread_mutex_clocklock(&fixed, CLOCK_MONOTONIC, &past) ==
	       ETIMEDOUT);
	assert(pthread_mutex_unlock(&fixed) == 0);

	assert(pthread_mutex_init(&m, NULL) == 0);
	assert(pthread_mutex_timedlock(&m, &past) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void recursive(void)
{
	pthread_mutex_t m;

	init(&m, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED,
	     PTHREAD_PROCESS_PRIVATE);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_trylock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void *unlock_other(void *m)
{
	assert(pthread_mutex_unlock(m) == EPERM);
	return NULL;
}

static void checking(void)
{
	pthread_mutex_t m;

	init(&m, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED,
	     PTHREAD_PROCESS_PRIVATE);
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&m) == EDEADLK);
	in_thread(unlock_other, &m);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void *die_holding(void *m)
{
	assert(pthread_mutex_lock(m) == 0);
	return NULL;
}

static void robust(void)
{
	pthread_mutex_t m;

	init(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST,
	     PTHREAD_PROCESS_PRIVATE);
	in_thread(die_holding, &m);
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	assert(pthread_mutex_consistent(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_destroy(&m) == 0);

	init(&m, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST,
	     PTHREAD_PROCESS_PRIVATE);
	in_thread(die_holding, &m);
	assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void inheriting(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void once_each(int type, int shared)
{
	pthread_mutex_t m;

	init(&m, type, PTHREAD_MUTEX_STALLED, shared);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_destroy(&m) == 0);
}

int main(void)
{
	normal();
	recursive();
	checking();
	robust();
	inheriting();
	once_each(PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED);
	once_each(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PROCESS_PRIVATE);
	return 0;
}
