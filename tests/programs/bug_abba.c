/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two locks, taken in either order.
 *
 * expect: broken deadlock
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	x++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *forwards(void *arg)
{
	both(&a, &b);
	return arg;
}

static void *backwards(void *arg)
{
	both(&b, &a);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, forwards, NULL);
	pthread_create(&u, NULL, backwards, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
