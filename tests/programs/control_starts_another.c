/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts another program that was built for heddle, which is its argument, in
 * a child and by a shell.
 *
 * expect: held; the other program runs as if heddle were not there
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status;
	pid_t child;

	assert(argc == 2);
	pthread_create(&thread, NULL, nothing, NULL);
	child = fork();
	if (child == 0) {
		execl(argv[1], argv[1], (char *)NULL);
		_exit(1);
	}
	assert(waitpid(child, &status, 0) == child && status == 0);
	assert(system(argv[1]) == 0);
	pthread_join(thread, NULL);
	return 0;
}
