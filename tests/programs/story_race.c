/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `is_ready` is guarded, and changed and waited for as it should be; `filled`,
 * beside it, is looked at without the lock. What is told of the race must be of
 * `filled`. The update of `filled` reads and writes, and both race with the
 * same write: that is one bug.
 * expect: data race
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_ready;
static int filled;

static void *fill(void *unused)
{
	pthread_mutex_lock(&mutex); /* locks */
	while (!is_ready)
		pthread_cond_wait(&cond, &mutex);
	filled++; /* updates */
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void reset(void)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
#endif
	filled = 0; /* resets */
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
#endif
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fill, NULL);
	pthread_mutex_lock(&mutex);
	is_ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	reset();
	pthread_join(thread, NULL);
	return 0;
}
