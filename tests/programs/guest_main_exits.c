/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread leaves by pthread_exit and is joined like any other; the
 * process ends with its last thread.
 *
 * count: 1 thread-create
 * count: 1 thread-join
 */
#include "guest_check.h"

#include <pthread.h>

static pthread_t first;
static int left;

static void *work(void *unused)
{
	CHECK(pthread_join(first, NULL) == 0);
	CHECK(left == 1);
	passed();
	return unused;
}

int main(void)
{
	pthread_t thread;

	first = pthread_self();
	left = 1;
	CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	pthread_exit(NULL);
}
