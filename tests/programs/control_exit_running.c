/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: exit status 3 under every schedule, asked for in leave; with a word
 * on the command line exit status 0
 *
 * One thread ends the program while another runs and a third waits; handlers of
 * exit have points.
 */
#include <pthread.h>
#include <stdlib.h>

static int left, rounds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void farewell(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		left++;
		pthread_mutex_unlock(&mutex);
	}
}

static void leave(int status)
{
	exit(status);
}

static void *run(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		rounds++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&held);
	return NULL;
}

static void *end(void *status)
{
	leave(*(int *)status);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	int status = argc > 1 ? 0 : 3;

	(void)argv;
	atexit(farewell);
	pthread_mutex_lock(&held);
	pthread_create(&threads[0], NULL, run, NULL);
	pthread_create(&threads[1], NULL, wait_for_ever, NULL);
	pthread_create(&threads[2], NULL, end, &status);
	pthread_join(threads[1], NULL);
	return 0;
}
