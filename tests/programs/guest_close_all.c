/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program has the descriptors it was given and no other, closes all but the
 * first three, and goes on.
 *
 * count: 4 thread-join
 */
#include "guest_check.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *work(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void work_in_threads(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void)
{
	int first = open("/dev/null", O_RDONLY);

	CHECK(first >= 3 && first == dup(first) - 1);
	closefrom(3);
	work_in_threads();
	CHECK(close_range(3, ~0U, 0) == 0);
	work_in_threads();
	for (int i = 3; i < 1024; i++)
		CHECK(close(i) == -1);
	CHECK(sum == 80000);
	return passed();
}
