/* SPDX-License-Identifier: Apache-2.0 */
/* Row 4 of LOCON's Table 1, W W R: three threads use one field as scratch:
 * they store a number there and take it back some lines later. Each access has
 * the lock. -DFIXED keeps the lock. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int argument, uses;
} scratch;

static void pause_lock(void)
{
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
}

static int doubled(int n)
{
	int got;

	pthread_mutex_lock(&lock);
	scratch.argument = n;
	pause_lock();
	got = scratch.argument;
	pthread_mutex_unlock(&lock);
	return got * 2;
}

static void *worker(void *arg)
{
	int n = *(int *)arg;

	assert(doubled(n) == 2 * n);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int numbers[3] = { 10, 20, 30 };

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
