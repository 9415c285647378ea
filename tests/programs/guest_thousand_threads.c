/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thousand threads at once, twice.
 *
 * count: 2000 thread-create
 * count: 2000 thread-end
 * count: 2000 thread-join
 */
#include "guest_check.h"

#include <pthread.h>

enum { THREADS = 1000, STACK = 128 * 1024 };

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum, all[THREADS];

static void *work(void *mine)
{
	*(int *)mine += 1;
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutex);
	sum += *(int *)mine;
	pthread_mutex_unlock(&mutex);
	return mine;
}

int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < THREADS; i++)
			CHECK(pthread_create(&threads[i], &attr, work,
					     &all[i]) == 0);
		for (int i = 0; i < THREADS; i++) {
			void *result;

			CHECK(pthread_join(threads[i], &result) == 0);
			CHECK(result == &all[i]);
		}
	}
	CHECK(sum == 3 * THREADS);
	return passed();
}
