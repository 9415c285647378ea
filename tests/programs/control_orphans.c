/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaves a process behind that would live for long, and one of that process's
 * own. Its argument is the name of a file they write their numbers to.
 *
 * expect: held; none of them is left afterwards
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

static void linger(const char *path)
{
	FILE *f = fopen(path, "a");

	if (f) {
		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
	}
	execl("/bin/sleep", "sleep", "1000", (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	pthread_create(&thread, NULL, nothing, NULL);
	if (fork() == 0) {
		if (fork() == 0)
			linger(argv[1]);
		linger(argv[1]);
	}
	pthread_join(thread, NULL);
	return 0;
}
