/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are detached and end while others are born: which pthread_t and
 * which stack each has is not left to when the kernel gives back those of the
 * ones before. Appends them as one number to the file that the argument names.
 *
 * expect: held; with a strategy that does not choose by chance the same number
 * in every run
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 24 };

static atomic_int ended;
static atomic_ulong sum;

static void *work(void *arg)
{
	unsigned long here = (unsigned long)&arg;

	atomic_fetch_add(&sum, here * 31 + (unsigned long)pthread_self());
	atomic_fetch_add(&ended, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) != 0)
			return 1;
		/* Every third is joined, by a name that may have been another's. */
		if (i % 3 == 0)
			pthread_join(thread, NULL);
		else
			pthread_detach(thread);
		atomic_store(&sum,
			     atomic_load(&sum) * 33 + (unsigned long)thread);
	}
	while (atomic_load(&ended) < THREADS)
		;
	if (argc > 1) {
		FILE *out = fopen(argv[1], "a");

		if (!out)
			return 2;
		fprintf(out, "%lx\n", atomic_load(&sum));
		fclose(out);
	}
	return 0;
}
