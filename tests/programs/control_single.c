/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends to the file that the argument names what libc says of threads before
 * there are any, and that it does so no more when there are.
 *
 * expect: held; the same in every run, forked or not
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/single_threaded.h>

static void *look(void *arg)
{
	*(int *)arg = __libc_single_threaded;
	return NULL;
}

int main(int argc, char **argv)
{
	int before = __libc_single_threaded, during = -1;
	pthread_t thread;
	FILE *out = argc > 1 ? fopen(argv[1], "a") : NULL;

	if (pthread_create(&thread, NULL, look, &during) != 0)
		return 1;
	pthread_join(thread, NULL);
	if (!out)
		return 1;
	fprintf(out, "%d %d\n", before, during);
	return fclose(out) != 0;
}
