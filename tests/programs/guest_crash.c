/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program dies by a signal with that signal, after its handler ran; a child
 * is used to see it.
 */
#include "guest_check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int *told;
static int *volatile nowhere;

static void handle(int signal)
{
	told[0] = signal;
}

static void *die(void *how)
{
	if (how)
		abort();
	*nowhere = 1;
	return how;
}

static void check(void *how, int wanted)
{
	struct rlimit none = { 0, 0 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		pthread_t thread;

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, handle);
		pthread_create(&thread, NULL, die, how);
		pthread_join(thread, NULL);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == wanted);
}

int main(void)
{
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(told != MAP_FAILED);
	check(NULL, SIGSEGV);
	CHECK(told[0] == 0);
	check(&told, SIGABRT);
	CHECK(told[0] == SIGABRT);
	return passed();
}
