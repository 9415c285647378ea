/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built without hooks, nobody sees the thread look at the flag: it has the turn
 * and never asks for another.
 *
 * expect: held; without hooks unknown, a thread ran where control does not reach
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int is_set;

static void *wait_for_it(void *arg)
{
	while (!is_set)
		;
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	is_set = 1;
	return pthread_join(thread, NULL);
}
