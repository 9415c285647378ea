/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes and conditions of C11, which do not pass through the pthread names.
 *
 * plain, and busy for another thread:
 * trace 0: mutex-init mutex-lock mutex-unlock mutex-destroy
 * trace 1: mutex-fail:EBUSY
 * timed:
 * trace 0: mutex-init mutex-lock mutex-unlock mutex-destroy
 * trace 2: mutex-fail:ETIMEDOUT mutex-fail:EBUSY
 * recursive; unlocked once too often:
 * trace 0: mutex-init:1 mutex-lock mutex-lock:tried mutex-unlock mutex-unlock
 * trace 0: mutex-fail:EPERM mutex-destroy
 * conditions: woken, and out of time:
 * trace 0: mutex-init cond-init cond-init mutex-lock cond-wait mutex-unlock
 * trace 0: cond-wake mutex-lock cond-broadcast cond-wait mutex-unlock
 * trace 0: cond-wake:ETIMEDOUT mutex-lock mutex-unlock cond-destroy
 * trace 0: cond-destroy mutex-destroy
 * trace 3: mutex-lock cond-signal cond-wait mutex-unlock cond-wake mutex-lock
 * trace 3: mutex-unlock
 */
#undef NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static const struct timespec past = { .tv_sec = 1 };
static mtx_t mutex;
static cnd_t cond, is_waiting;
static bool waiting, go;

static thrd_t start(thrd_start_t run)
{
	thrd_t thread;

	assert(thrd_create(&thread, run, NULL) == thrd_success);
	return thread;
}

static void finish(thrd_t thread)
{
	int result;

	assert(thrd_join(thread, &result) == thrd_success);
	assert(result == 7);
}

static int find_busy(void *unused)
{
	(void)unused;
	assert(mtx_trylock(&mutex) == thrd_busy);
	return 7;
}

static int find_busy_timed(void *unused)
{
	assert(mtx_timedlock(&mutex, &past) == thrd_timedout);
	return find_busy(unused);
}

static void hold_against(int type, thrd_start_t run)
{
	assert(mtx_init(&mutex, type) == thrd_success);
	assert(mtx_lock(&mutex) == thrd_success);
	finish(start(run));
	assert(mtx_unlock(&mutex) == thrd_success);
	mtx_destroy(&mutex);
}

static void recursive(void)
{
	assert(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
	assert(mtx_lock(&mutex) == thrd_success);
	assert(mtx_trylock(&mutex) == thrd_success);
	assert(mtx_unlock(&mutex) == thrd_success);
	assert(mtx_unlock(&mutex) == thrd_success);
	assert(mtx_unlock(&mutex) == thrd_error);
	mtx_destroy(&mutex);
}

static int wait_for_go(void *unused)
{
	(void)unused;
	assert(mtx_lock(&mutex) == thrd_success);
	waiting = true;
	assert(cnd_signal(&is_waiting) == thrd_success);
	while (!go)
		assert(cnd_wait(&cond, &mutex) == thrd_success);
	assert(mtx_unlock(&mutex) == thrd_success);
	return 7;
}

static void conditions(void)
{
	thrd_t thread;

	assert(mtx_init(&mutex, mtx_timed) == thrd_success);
	assert(cnd_init(&cond) == thrd_success);
	assert(cnd_init(&is_waiting) == thrd_success);
	assert(mtx_lock(&mutex) == thrd_success);
	thread = start(wait_for_go);
	while (!waiting)
		assert(cnd_wait(&is_waiting, &mutex) == thrd_success);
	go = true;
	assert(cnd_broadcast(&cond) == thrd_success);
	assert(cnd_timedwait(&is_waiting, &mutex, &past) == thrd_timedout);
	assert(mtx_unlock(&mutex) == thrd_success);
	finish(thread);
	cnd_destroy(&cond);
	cnd_destroy(&is_waiting);
	mtx_destroy(&mutex);
}

int main(void)
{
	hold_against(mtx_plain, find_busy);
	hold_against(mtx_timed, find_busy_timed);
	recursive();
	conditions();
	return 0;
}
