/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads write the same, the one under a lock that the other has left by
 * then: in most runs the lock orders them, and nobody ever reads anything
 * else. With FIXED both hold it.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded, flag;

static void *early(void *p)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	flag = 1;
#else
	flag = 1;
	pthread_mutex_lock(&lock);
#endif
	guarded = 7;
	pthread_mutex_unlock(&lock);
	return p;
}

static void *late(void *p)
{
	pthread_mutex_lock(&lock);
	guarded = 7;
	flag = 1;
	pthread_mutex_unlock(&lock);
	return p;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, early, NULL);
	pthread_create(&b, NULL, late, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return guarded + flag != 8;
}
