/* SPDX-License-Identifier: Apache-2.0 */
/* Row 15 of LOCON's Table 1, Wx Wy / Wy Wx: two settings of one dial are
 * written from both ends, by one of three threads each. -DFIXED has a lock. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int dial[2];
static _Atomic int turns;

static void turn(int first, int value)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#else
	(void)lock;
#endif
	atomic_store(&dial[first], value);
	atomic_store(&dial[1 - first], value);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void *forward(void *arg)
{
	turn(0, 1);
	return arg;
}

static void *backward(void *arg)
{
	turn(1, 2);
	return arg;
}

static void *count(void *arg)
{
	atomic_fetch_add(&turns, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&c, NULL, count, NULL);
	pthread_create(&a, NULL, forward, NULL);
	pthread_create(&b, NULL, backward, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return atomic_load(&dial[0]) != atomic_load(&dial[1]);
}
