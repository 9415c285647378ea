/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flag is looked at before the mutex is taken: the signal comes between the
 * look and the wait, and nobody is there.
 * expect: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_it(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
#else
	if (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&cond, &mutex);
		pthread_mutex_unlock(&mutex);
	}
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&mutex);
	__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	return 0;
}
