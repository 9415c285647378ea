/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end is announced without the mutex of those who wait: who has just seen
 * that there is more to come, and waits only now, is not woken again.
 * expect: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items;

static pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
static int has_ended;

static int is_over(void)
{
	int is;

	pthread_mutex_lock(&end);
	is = has_ended;
	pthread_mutex_unlock(&end);
	return is;
}

static void *consume(void *unused)
{
	pthread_mutex_lock(&queue);
	for (;;) {
		if (items > 0)
			items--;
		else if (is_over())
			break;
		else
			pthread_cond_wait(&more, &queue);
	}
	pthread_mutex_unlock(&queue);
	return unused;
}

static void announce(void)
{
	pthread_mutex_lock(&end);
	has_ended = 1;
	pthread_mutex_unlock(&end);
#ifdef FIXED
	pthread_mutex_lock(&queue);
#endif
	pthread_cond_broadcast(&more);
#ifdef FIXED
	pthread_mutex_unlock(&queue);
#endif
}

int main(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&queue);
		items++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&queue);
	}
	announce();
	pthread_join(consumer, NULL);
	return 0;
}
