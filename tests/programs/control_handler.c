/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * Signals to threads that stand still: in a lock, in a condition, between two
 * accesses. Handlers have shared accesses of their own. Every signal runs its
 * handler once, in the thread it was sent to, and every wait goes on after it.
 */
#include "guest_check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { THREADS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t threads[THREADS];
static _Atomic int handled, wrong;
static int shared, go, gone;

static void handle(int signal)
{
	(void)signal;
	if (pthread_equal(pthread_self(), threads[0]) ||
	    pthread_equal(pthread_self(), threads[1]) ||
	    pthread_equal(pthread_self(), threads[2]))
		atomic_fetch_add(&handled, 1);
	else
		wrong++;
	shared++;
}

static void *wait_for_go(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	while (!go)
		pthread_cond_wait(&cond, &mutex);
	gone++;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };

	sigaction(SIGUSR1, &act, NULL);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, wait_for_go, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_kill(threads[i], SIGUSR1);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&mutex);
	go = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(handled == THREADS);
	CHECK(!wrong);
	CHECK(gone == THREADS);
	return 0;
}
