/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is long in starting up, and says when it is done. With an
 * argument it has a thread by then.
 *
 * expect: held; started once for all runs without an argument, afresh for each
 * with one
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "heddle.h"

static atomic_int count;

static pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_mutex_lock(&start);
	pthread_mutex_unlock(&start);
	atomic_fetch_add(&count, 1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	FILE *starts = argc > 1 ? fopen(argv[1], "a") : NULL;

	if (starts) {
		fprintf(starts, "started\n");
		fclose(starts);
	}
	pthread_mutex_lock(&start);
	if (argc > 2)
		pthread_create(&threads[0], NULL, work, NULL);
	heddle_ready();
	pthread_mutex_unlock(&start);
	if (argc <= 2)
		pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&count) == 2 ? 0 : 1;
}
