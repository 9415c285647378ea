/* SPDX-License-Identifier: Apache-2.0 */
/* A million calls deep, in two threads with room for it, twice. */
#include "guest_check.h"

#include <pthread.h>

enum { DEPTH = 1000000, STACK = 512 << 20 };

static __attribute__((noinline)) long dive(long depth, long *sum)
{
	*sum += depth & 1;
	return depth ? 1 + dive(depth - 1, sum) : 0;
}

static void *work(void *unused)
{
	for (int i = 0; i < 2; i++) {
		long sum = 0;

		CHECK(dive(DEPTH, &sum) == DEPTH);
		CHECK(sum == DEPTH / 2);
	}
	return unused;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t threads[2];

	pthread_attr_init(&attr);
	CHECK(pthread_attr_setstacksize(&attr, STACK) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], &attr, work, NULL) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return passed();
}
