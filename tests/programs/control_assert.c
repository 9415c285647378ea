/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: broken assertion `balance == 60' in main, under some schedules
 *
 * Two threads take money without a lock, a third waits for ever on a condition:
 * the verdict must be the assertion, not the thread that waits.
 */
#include <assert.h>
#include <pthread.h>

static int balance = 100;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *take(void *amount)
{
	int seen = balance;

	balance = seen - *(int *)amount;
	return NULL;
}

static void *stay(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&never, &mutex);
}

int main(void)
{
	pthread_t threads[3];
	int first = 10, second = 30;

	pthread_create(&threads[2], NULL, stay, NULL);
	pthread_create(&threads[0], NULL, take, &first);
	pthread_create(&threads[1], NULL, take, &second);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(balance == 60);
	return 0;
}
