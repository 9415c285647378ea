/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends that skip destructors: here quick_exit, with a handler that still
 * locks and allocates, and _exit in a forked child.
 */
#include "guest_check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void at_end(void)
{
	int *block = malloc(sizeof(*block));

	pthread_mutex_lock(&mutex);
	*block = 1;
	pthread_mutex_unlock(&mutex);
	free(block);
	passed();
	fflush(stdout);
}

int main(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(5);
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
	CHECK(at_quick_exit(at_end) == 0);
	quick_exit(0);
}
