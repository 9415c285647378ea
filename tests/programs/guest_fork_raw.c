/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork that libc does not know of. The child uses memory and functions, and
 * even starts a thread, which nobody told us about.
 */
#include "guest_check.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared;

static void *use(void *by)
{
	shared += *(int *)by;
	return by;
}

static int depth(int n)
{
	return n ? 1 + depth(n - 1) : 0;
}

static void child(void)
{
	pthread_t thread;
	int by = 4;
	int *block = malloc(sizeof(*block));

	*block = depth(100);
	shared += *block;
	free(block);
	CHECK(pthread_create(&thread, NULL, use, &by) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	_exit(shared == 104 ? 5 : 6);
}

int main(void)
{
	pthread_t thread;
	int by = 1, status;
	pid_t pid = (pid_t)syscall(SYS_fork);

	CHECK(pid >= 0);
	if (!pid)
		child();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	CHECK(pthread_create(&thread, NULL, use, &by) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(shared == 1);
	return passed();
}
