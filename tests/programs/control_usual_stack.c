/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says how large the stacks of threads are from now on, and uses all of one:
 * what was usual when the program began does not count any more.
 *
 * expect: held
 */
#define _GNU_SOURCE
#include <pthread.h>

enum { USUAL = 64 << 20, USED = 48 << 20 };

static void *work(void *arg)
{
	volatile char room[USED];

	(void)arg;
	for (int i = 0; i < USED; i += 4096)
		room[i] = 1;
	return NULL;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, USUAL);
	if (pthread_setattr_default_np(&attr) != 0)
		return 1;
	pthread_attr_destroy(&attr);
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	return pthread_join(thread, NULL) != 0;
}
