/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables: woken, timed out on both clocks, refused, cancelled.
 *
 * a waiter is signalled, another is reached by broadcast:
 * trace 0: mutex-lock cond-wait mutex-unlock cond-wake mutex-lock cond-signal
 * trace 0: mutex-unlock
 * trace 0: mutex-lock cond-wait mutex-unlock cond-wake mutex-lock
 * trace 0: cond-broadcast mutex-unlock
 * trace 1: mutex-lock cond-signal cond-wait mutex-unlock cond-wake mutex-lock
 * trace 1: mutex-unlock
 * trace 2: mutex-lock cond-signal cond-wait mutex-unlock cond-wake mutex-lock
 * trace 2: mutex-unlock
 * the time is over: timedwait on both clocks, clockwait on both clocks:
 * trace 0: cond-init mutex-lock
 * trace 0: cond-wait mutex-unlock cond-wake:ETIMEDOUT mutex-lock
 * trace 0: cond-wait mutex-unlock cond-wake:ETIMEDOUT mutex-lock
 * trace 0: cond-wait mutex-unlock cond-wake:ETIMEDOUT mutex-lock
 * trace 0: cond-wait mutex-unlock cond-wake:ETIMEDOUT mutex-lock
 * trace 0: mutex-unlock cond-destroy
 * refused without waiting (bad time, bad clock, mutex not held): no wait
 * trace 0: mutex-init:2 mutex-lock mutex-unlock mutex-destroy
 * cancelled while waiting, three ways; the handler has the mutex:
 * trace 0: mutex-lock cond-wait mutex-unlock cond-wake mutex-lock mutex-unlock
 * trace 0: mutex-lock cond-wait mutex-unlock cond-wake mutex-lock mutex-unlock
 * trace 0: mutex-lock cond-wait mutex-unlock cond-wake mutex-lock mutex-unlock
 * trace 3: mutex-lock cond-signal cond-wait mutex-unlock
 * trace 3: cond-wake:ECANCELED mutex-lock mutex-unlock
 * trace 4: mutex-lock cond-signal cond-wait mutex-unlock
 * trace 4: cond-wake:ECANCELED mutex-lock mutex-unlock
 * trace 5: mutex-lock cond-signal cond-wait mutex-unlock
 * trace 5: cond-wake:ECANCELED mutex-lock mutex-unlock
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static const struct timespec past = { .tv_sec = 1 };
static const struct timespec never = { .tv_sec = 1L << 40 };
static const struct timespec no_time = { .tv_nsec = -1 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_cond_t is_waiting = PTHREAD_COND_INITIALIZER;
static bool waiting, go, cleaned;

static void *wait_for_go(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	waiting = true;
	assert(pthread_cond_signal(&is_waiting) == 0);
	while (!go)
		assert(pthread_cond_wait(&cond, &mutex) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

/* Starts a thread and returns with the mutex when it waits. */
static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	go = waiting = false;
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_create(&thread, NULL, run, arg) == 0);
	while (!waiting)
		assert(pthread_cond_wait(&is_waiting, &mutex) == 0);
	return thread;
}

static void woken(int (*wake)(pthread_cond_t *))
{
	pthread_t thread = start(wait_for_go, NULL);

	go = true;
	assert(wake(&cond) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_join(thread, NULL) == 0);
}

static void timed_out(void)
{
	pthread_condattr_t attr;
	pthread_cond_t c;

	assert(pthread_condattr_init(&attr) == 0);
	assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	assert(pthread_cond_init(&c, &attr) == 0);
	assert(pthread_condattr_destroy(&attr) == 0);
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
	assert(pthread_cond_timedwait(&c, &mutex, &past) == ETIMEDOUT);
	assert(pthread_cond_clockwait(&c, &mutex, CLOCK_REALTIME, &past) ==
	       ETIMEDOUT);
	assert(pthread_cond_clockwait(&c, &mutex, CLOCK_MONOTONIC, &past) ==
	       ETIMEDOUT);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_cond_destroy(&c) == 0);
}

static void refused(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
	assert(pthread_cond_timedwait(&cond, &m, &past) == EPERM);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_cond_timedwait(&cond, &m, &no_time) == EINVAL);
	assert(pthread_cond_clockwait(&cond, &m, CLOCK_REALTIME, &no_time) ==
	       EINVAL);
	assert(pthread_cond_clockwait(&cond, &m, CLOCK_TAI, &past) == EINVAL);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_destroy(&m) == 0);
}

static void clean(void *unused)
{
	(void)unused;
	cleaned = true;
	assert(pthread_mutex_unlock(&mutex) == 0);
}

static int wait_plain(void)
{
	return pthread_cond_wait(&cond, &mutex);
}

static int wait_timed(void)
{
	return pthread_cond_timedwait(&cond, &mutex, &never);
}

static int wait_clock(void)
{
	return pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &never);
}

static void *wait_to_be_cancelled(void *how)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	pthread_cleanup_push(clean, NULL);
	waiting = true;
	assert(pthread_cond_signal(&is_waiting) == 0);
	for (;;)
		assert((*(int (**)(void))how)() == 0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled(int (*how)(void))
{
	pthread_t thread = start(wait_to_be_cancelled, &how);
	void *result;

	cleaned = false;
	assert(pthread_cancel(thread) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_join(thread, &result) == 0);
	assert(result == PTHREAD_CANCELED && cleaned);
}

int main(void)
{
	woken(pthread_cond_signal);
	woken(pthread_cond_broadcast);
	timed_out();
	refused();
	cancelled(wait_plain);
	cancelled(wait_timed);
	cancelled(wait_clock);
	return 0;
}
