/* SPDX-License-Identifier: Apache-2.0 */
/* Counts very far, in steps that each may be a point, and then loses an update.
 * Where that is more points than a run may have, only runs on all processors
 * show it. */
#include <pthread.h>
#include <stdlib.h>

#define MANY 30000

static volatile int shared, balance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void deposit(void)
{
#ifdef FIXED
	pthread_mutex_lock(&mutex);
#endif
	balance = balance + 1;
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
#endif
}

static void *work(void *arg)
{
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < MANY; i++)
		shared = shared + 1;
	pthread_mutex_unlock(&mutex);
	deposit();
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 2;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (balance != 2)
		abort();
	return 0;
}
