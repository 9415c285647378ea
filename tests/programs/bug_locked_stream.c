/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream is locked where a mutex is taken, and the mutex where something is
 * printed.
 * expect: deadlock
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *report(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
	flockfile(stdout);
#else
	flockfile(stdout);
	pthread_mutex_lock(&mutex);
#endif
	puts("a report");
	pthread_mutex_unlock(&mutex);
	funlockfile(stdout);
	return unused;
}

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	puts("some work");
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, report, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
