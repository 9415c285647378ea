/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program ends while its threads are busy; handlers of exit still use what
 * the threads use. exit is called by a thread that is not the main one.
 */
#include "guest_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int busy;
static long count;

static void *work(void *unused)
{
	busy++;
	for (;;) {
		char *block = malloc(100);

		pthread_mutex_lock(&mutex);
		count++;
		block[0] = (char)count;
		pthread_mutex_unlock(&mutex);
		free(block);
	}
	return unused;
}

static void *end(void *unused)
{
	while (busy < 3)
		;
	exit(passed());
	return unused;
}

static void at_exit(void)
{
	pthread_mutex_lock(&mutex);
	CHECK(count >= 0);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_t thread;

	atexit(at_exit);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	CHECK(pthread_create(&thread, NULL, end, NULL) == 0);
	pthread_join(thread, NULL);
	return 1;
}
