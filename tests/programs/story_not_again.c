/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signals for two items are given and heeded, and the one for the end is
 * forgotten: the consumer, the only one that waits, was woken and waits again.
 * expect: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int items, taken, is_over;

static void *consume(void *unused)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (!items && !is_over)
			pthread_cond_wait(&filled, &mutex); /* waits */
		if (!items)
			break;
		items--;
		taken++;
		pthread_cond_signal(&emptied);
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	pthread_mutex_lock(&mutex);
	for (int i = 1; i <= 2; i++) {
		items++;
		pthread_cond_signal(&filled); /* signals */
		while (taken < i)
			pthread_cond_wait(&emptied, &mutex);
	}
	is_over = 1;
#ifdef FIXED
	pthread_cond_signal(&filled);
#endif
	pthread_mutex_unlock(&mutex);
	pthread_join(consumer, NULL);
	return 0;
}
