/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run.
 *
 * Everybody waits for one thread, which sleeps many times and changes nothing
 * for long, but in the end it does: no deadlock.
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int done;

static void *sleeper(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3000; i++)
		usleep(1000);
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_broadcast(&ready);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *waiter(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, sleeper, NULL);
	pthread_create(&t[1], NULL, waiter, NULL);
	pthread_create(&t[2], NULL, waiter, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
