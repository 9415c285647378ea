/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions under control, as they must be in every schedule: a signal wakes
 * one of those who wait and is lost when nobody does; a broadcast wakes all; a
 * wait lets the mutex go and has it again; time comes for those who wait for
 * it, and not for those who were woken.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { WAITERS = 3, ITEMS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_cond_t other = PTHREAD_COND_INITIALIZER;
static int waiting, tickets, served;

static struct timespec in_ms(clockid_t which, long ms)
{
	struct timespec at;

	clock_gettime(which, &at);
	at.tv_nsec += ms * 1000 * 1000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return at;
}

static void *take_ticket(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	waiting++;
	assert(pthread_cond_signal(&other) == 0);
	while (!tickets)
		assert(pthread_cond_wait(&cond, &mutex) == 0);
	tickets--;
	served++;
	assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

static void start(pthread_t *threads, void *(*run)(void *))
{
	waiting = tickets = served = 0;
	assert(pthread_mutex_lock(&mutex) == 0);
	for (int i = 0; i < WAITERS; i++)
		assert(pthread_create(&threads[i], NULL, run, NULL) == 0);
	while (waiting < WAITERS)
		assert(pthread_cond_wait(&other, &mutex) == 0);
}

static void join(const pthread_t *threads)
{
	for (int i = 0; i < WAITERS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
}

/* Each signal is for one of them; none of them is lost, because all wait. */
static void one_by_one(void)
{
	pthread_t threads[WAITERS];

	start(threads, take_ticket);
	for (int i = 0; i < WAITERS; i++) {
		tickets++;
		assert(pthread_cond_signal(&cond) == 0);
		assert(pthread_mutex_unlock(&mutex) == 0);
		assert(pthread_mutex_lock(&mutex) == 0);
	}
	assert(pthread_mutex_unlock(&mutex) == 0);
	join(threads);
	assert(served == WAITERS && !tickets);
}

static void all_at_once(void)
{
	pthread_t threads[WAITERS];

	start(threads, take_ticket);
	tickets = WAITERS;
	assert(pthread_cond_broadcast(&cond) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	join(threads);
	assert(served == WAITERS && !tickets);
}

/* A condition can be used again at once: who was woken has left it. */
static void reused(void)
{
	pthread_t threads[WAITERS];

	start(threads, take_ticket);
	tickets = WAITERS;
	assert(pthread_cond_broadcast(&cond) == 0);
	assert(pthread_cond_destroy(&cond) == 0);
	assert(pthread_cond_init(&cond, NULL) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	join(threads);
}

static void *wait_in_vain(void *unused)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 20);

	assert(pthread_mutex_lock(&mutex) == 0);
	waiting++;
	assert(pthread_cond_signal(&other) == 0);
	for (;;) {
		int rc = pthread_cond_timedwait(&cond, &mutex, &at);
		struct timespec now;

		if (rc == 0)
			continue;
		assert(rc == ETIMEDOUT);
		clock_gettime(CLOCK_REALTIME, &now);
		assert(now.tv_sec > at.tv_sec ||
		       (now.tv_sec == at.tv_sec && now.tv_nsec >= at.tv_nsec));
		break;
	}
	served++;
	assert(pthread_mutex_unlock(&mutex) == 0);
	return unused;
}

static void timed_out(void)
{
	pthread_t threads[WAITERS];

	start(threads, wait_in_vain);
	assert(pthread_cond_signal(&cond) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	join(threads);
	assert(served == WAITERS);
}

/* Waits may end without cause. */
static int wait_until(pthread_mutex_t *m, clockid_t which,
		      const struct timespec *at)
{
	int rc;

	do
		rc = pthread_cond_clockwait(&cond, m, which, at);
	while (rc == 0);
	return rc;
}

/* With a signal that nobody waits for, and a time that has passed. */
static void lost(void)
{
	struct timespec at = in_ms(CLOCK_MONOTONIC, 1);

	assert(pthread_cond_signal(&cond) == 0);
	assert(pthread_mutex_lock(&mutex) == 0);
	assert(wait_until(&mutex, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
	assert(wait_until(&mutex, CLOCK_MONOTONIC, &at) == ETIMEDOUT);
	assert(pthread_mutex_unlock(&mutex) == 0);
}

/* A bounded buffer, the usual one. */
static int buffer[2], in, out;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

static void *produce(void *unused)
{
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (in - out == 2)
			pthread_cond_wait(&not_full, &mutex);
		buffer[in++ % 2] = i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *consume(void *sum)
{
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (in == out)
			pthread_cond_wait(&not_empty, &mutex);
		*(int *)sum += buffer[out++ % 2];
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void buffered(void)
{
	pthread_t threads[4];
	int sums[2] = { 0, 0 };

	for (int i = 0; i < 2; i++) {
		assert(!pthread_create(&threads[i], NULL, produce, NULL));
		assert(!pthread_create(&threads[i + 2], NULL, consume,
				       &sums[i]));
	}
	for (int i = 0; i < 4; i++)
		assert(!pthread_join(threads[i], NULL));
	assert(sums[0] + sums[1] == ITEMS * (ITEMS + 1));
}

/* The mutex of a recursive kind is let go once, and had again once. */
static void recursive(void)
{
	struct timespec at = in_ms(CLOCK_REALTIME, 1);
	pthread_mutexattr_t attr;
	pthread_mutex_t m;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(wait_until(&m, CLOCK_REALTIME, &at) == ETIMEDOUT);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_cond_timedwait(&cond, &m, &at) == EPERM);
	assert(pthread_mutex_destroy(&m) == 0);
}

int main(void)
{
	one_by_one();
	all_at_once();
	reused();
	timed_out();
	lost();
	buffered();
	recursive();
	return 0;
}
