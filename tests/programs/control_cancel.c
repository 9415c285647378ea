/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * Threads are cancelled wherever they may be: in a condition, a semaphore, a
 * join, asleep, waiting for a signal, on the way there, or with cancellation
 * off. Cleanup handlers find the mutex locked and have shared accesses.
 */
#include "guest_check.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t none;
static pthread_t sleeper;
static int cleaned, waiting;

static void unlock(void *unused)
{
	(void)unused;
	cleaned++;
	waiting--;
	pthread_mutex_unlock(&mutex);
}

static void count(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	cleaned++;
	pthread_mutex_unlock(&mutex);
}

static void *in_condition(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	waiting++;
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *in_semaphore(void *unused)
{
	(void)unused;
	pthread_cleanup_push(count, NULL);
	sem_wait(&none);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *asleep(void *unused)
{
	(void)unused;
	pthread_cleanup_push(count, NULL);
	for (;;)
		sleep(1000);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_join(void *unused)
{
	(void)unused;
	pthread_cleanup_push(count, NULL);
	pthread_join(sleeper, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_sigwait(void *unused)
{
	sigset_t set;
	int signal;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	pthread_cleanup_push(count, NULL);
	sigwait(&set, &signal);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *unwilling(void *unused)
{
	int old;

	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	usleep(1000);
	pthread_mutex_lock(&mutex);
	cleaned++;
	pthread_mutex_unlock(&mutex);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	for (;;)
		pthread_testcancel();
	return NULL;
}

int main(void)
{
	void *(*const starts[])(void *) = { in_condition, in_semaphore, asleep,
					    in_join, in_sigwait };
	enum { STARTS = sizeof(starts) / sizeof(*starts) };
	pthread_t threads[STARTS], last;
	void *result;

	sem_init(&none, 0, 0);
	pthread_create(&sleeper, NULL, asleep, NULL);
	for (int i = 0; i < STARTS; i++)
		pthread_create(&threads[i], NULL, starts[i], NULL);
	pthread_create(&last, NULL, unwilling, NULL);
	pthread_cancel(last);
	for (int i = 0; i < STARTS; i++) {
		CHECK(pthread_cancel(threads[i]) == 0);
		CHECK(pthread_join(threads[i], &result) == 0);
		CHECK(result == PTHREAD_CANCELED);
	}
	pthread_join(last, &result);
	CHECK(result == PTHREAD_CANCELED);
	pthread_cancel(sleeper);
	pthread_join(sleeper, &result);
	CHECK(result == PTHREAD_CANCELED);
	CHECK(waiting == 0);
	/* Whoever was cancelled on its way had not come to its handler yet. */
	CHECK(cleaned >= 1 && cleaned <= STARTS + 2);
	return 0;
}
