/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One condition for two things, and a signal: it may wake the one that waits
 * for the other thing.
 * expect: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int level;

static void *wait_for_level(void *wanted)
{
	pthread_mutex_lock(&mutex);
	while (level < *(const int *)wanted)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void raise_level(void)
{
	pthread_mutex_lock(&mutex);
	level++;
#ifdef FIXED
	pthread_cond_broadcast(&cond);
#else
	pthread_cond_signal(&cond);
#endif
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	static const int wanted[] = { 1, 2 };
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, wait_for_level,
			       (void *)(size_t)&wanted[i]);
	raise_level();
	pthread_join(threads[0], NULL);
	raise_level();
	pthread_join(threads[1], NULL);
	return 0;
}
