/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a process by the system call that libc itself makes them with, while it
 * has threads of its own; with an argument, tries to make a thread by it.
 */
#include <assert.h>
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared;

static void *use(void *arg)
{
	shared++;
	return arg;
}

/* The kernel has no threads without common signal handlers; what counts is that
 * the call comes to it as it was made. */
static void make_thread(void)
{
	struct clone_args args = { .flags = CLONE_VM | CLONE_THREAD };

	assert(syscall(SYS_clone3, &args, sizeof(args)) == -1);
	assert(errno == EINVAL);
}

int main(int argc, char **argv)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pthread_t thread;
	int status;
	long pid;

	(void)argv;
	assert(pthread_create(&thread, NULL, use, NULL) == 0);
	if (argc > 1) {
		make_thread();
	} else {
		pid = syscall(SYS_clone3, &args, sizeof(args));
		assert(pid >= 0);
		if (!pid)
			_exit(3);
		assert(waitpid((pid_t)pid, &status, 0) == pid);
		assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	}
	assert(pthread_join(thread, NULL) == 0);
	assert(shared == 1);
	return 0;
}
