/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: deadlock, in some runs; nothing else.
 *
 * Two threads take two locks in opposite order (argument "locks"), or a thread
 * misses the wake-up it waits for ("wakeup"), or waits for the end of one that
 * waits for it ("join"); beside them a housekeeping thread sleeps in a loop,
 * and counts ("count" as the second argument).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static volatile int stop;
static long ticks;

static void *housekeep(void *counts)
{
	while (!stop) {
		usleep(1000);
		if (counts)
			ticks++;
	}
	return NULL;
}

static void *one(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *other(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return NULL;
}

/* Waits without asking whether it is too late. */
static void *waiter(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&a);
	pthread_cond_wait(&ready, &a);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *waker(void *unused)
{
	(void)unused;
	pthread_cond_signal(&ready);
	return NULL;
}

static void *needs_a(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	return NULL;
}

/* Waits for the end of a thread that may wait for the lock it holds. */
static void *holder(void *thread)
{
	pthread_mutex_lock(&a);
	pthread_join(*(pthread_t *)thread, NULL);
	pthread_mutex_unlock(&a);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "locks";
	pthread_t keeper, t[2];

	pthread_create(&keeper, NULL, housekeep, argc > 2 ? argv : NULL);
	if (!strcmp(what, "locks")) {
		pthread_create(&t[0], NULL, one, NULL);
		pthread_create(&t[1], NULL, other, NULL);
	} else if (!strcmp(what, "wakeup")) {
		pthread_create(&t[0], NULL, waiter, NULL);
		pthread_create(&t[1], NULL, waker, NULL);
	} else {
		pthread_create(&t[1], NULL, needs_a, NULL);
		pthread_create(&t[0], NULL, holder, &t[1]);
	}
	pthread_join(t[0], NULL);
	if (strcmp(what, "join"))
		pthread_join(t[1], NULL);
	stop = 1;
	pthread_join(keeper, NULL);
	return 0;
}
