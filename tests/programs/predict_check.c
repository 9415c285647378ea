/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A balance is moved in two steps, and somebody checks the sum meanwhile.
 * Before the check threads read many counters that matter to nobody. With FIXED
 * the check waits for the lock.
 */
#include <assert.h>
#include <pthread.h>

enum { COUNTERS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counters[COUNTERS];
static int first = 5, second = 5;

static void *move(void *p)
{
	for (int i = 0; i < COUNTERS; i++)
		counters[i] = i + 1;
	pthread_mutex_lock(&lock);
	first -= 2;
	second += 2;
	pthread_mutex_unlock(&lock);
	return p;
}

static void *audit(void *p)
{
	int seen = 0;

	for (int i = 0; i < COUNTERS; i++)
		seen += counters[i];
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	assert(first + second == 10);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return seen ? p : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, move, NULL);
	pthread_create(&b, NULL, audit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
