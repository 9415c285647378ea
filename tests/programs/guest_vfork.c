/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child of vfork lives on its parent's stack until it calls exec or _exit;
 * neither must be taken for the parent's, nor what it does to its signals.
 *
 * count: 0 exec
 * count: 1 thread-join
 */
#include "guest_check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static int shared;

static void handle(int signal)
{
	handled += signal == SIGUSR1;
}

static void *use(void *unused)
{
	shared++;
	return unused;
}

static int wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };
	pthread_t thread;
	pid_t pid;

	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	pid = vfork();
	if (!pid) {
		signal(SIGUSR1, SIG_DFL);
		signal(SIGUSR1, SIG_IGN);
		execl("/bin/true", "true", (char *)NULL);
		_exit(9);
	}
	CHECK(wait_for(pid) == 0);
	pid = vfork();
	if (!pid)
		_exit(3);
	CHECK(wait_for(pid) == 3);
	pid = vfork();
	if (!pid) {
		execl("/does/not/exist", "x", (char *)NULL);
		_exit(4);
	}
	CHECK(wait_for(pid) == 4);

	raise(SIGUSR1);
	CHECK(handled == 1);
	CHECK(sigaction(SIGUSR1, NULL, &act) == 0 && act.sa_handler == handle);
	CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0 && shared == 1);
	return passed();
}
