/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A constructor starts a thread, which is busy before main is there: it looks
 * for work without the lock that guards it, and takes what was half written.
 * expect: assertion `size == 2 * number' failed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number, size;
static atomic_int has_work, is_over;
static pthread_t early;

static void take(void)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
#endif
	assert(size == 2 * number);
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
#endif
}

static void *work(void *arg)
{
	while (!is_over)
		if (has_work)
			take();
	return arg;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_create(&early, NULL, work, NULL);
}

int main(void)
{
	has_work = 1;
	pthread_mutex_lock(&mutex);
	number = 3;
	size = 6;
	pthread_mutex_unlock(&mutex);
	is_over = 1;
	return pthread_join(early, NULL);
}
