/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that write one shared variable, each write a point under control.
 *
 *	turns [threads [writes in all]]
 */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 1024 };

static volatile long shared;
static long writes = 90;

static void *write_often(void *arg)
{
	(void)arg;
	for (long i = 0; i < writes; i++)
		shared = i;
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	static pthread_t id[MOST];

	if (threads < 1 || threads > MOST)
		return 2;
	writes = (argc > 2 ? atol(argv[2]) : writes) / threads;
	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, write_often, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
