/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixty thousand threads in the life of one program, a few at a time.
 *
 * count: 60000 thread-create
 * count: 60000 thread-join
 */
#include "guest_check.h"

#include <pthread.h>

enum { THREADS = 60000, AT_ONCE = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	sum++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t threads[AT_ONCE];

	for (int i = 0; i < THREADS / AT_ONCE; i++) {
		for (int k = 0; k < AT_ONCE; k++)
			CHECK(pthread_create(&threads[k], NULL, work, NULL) ==
			      0);
		for (int k = 0; k < AT_ONCE; k++)
			CHECK(pthread_join(threads[k], NULL) == 0);
	}
	CHECK(sum == THREADS);
	return passed();
}
