/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who finds nothing to do leaves, and is missed at the barrier.
 * expect: deadlock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3 };

static pthread_barrier_t barrier;
static atomic_int left = 4;

static void *work(void *unused)
{
	while (atomic_fetch_sub(&left, 1) > 0)
		;
#ifndef FIXED
	if (atomic_load(&left) < -THREADS + 1)
		return unused;
#endif
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
