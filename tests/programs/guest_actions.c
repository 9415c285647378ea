/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a program can ask of sigaction and its elder brothers, and that it
 * gets back what it gave.
 */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count, depth, deepest, value[64];

static void handle(int signal)
{
	count += signal == SIGUSR1;
}

static void handle_info(int signal, siginfo_t *info, void *machine)
{
	CHECK(machine && info->si_signo == signal);
	value[count++ % 64] = info->si_value.sival_int;
}

static void nest(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (count++ < 3)
		raise(signal);
	depth--;
}

static void come_back(void)
{
	struct sigaction act = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct sigaction old;

	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGUSR2);
	CHECK(sigaction(SIGUSR1, &act, &old) == 0);
	CHECK(old.sa_handler == SIG_DFL);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
	CHECK(old.sa_handler == handle);
	CHECK((old.sa_flags & (SA_SIGINFO | SA_RESTART)) == SA_RESTART);
	CHECK(sigismember(&old.sa_mask, SIGUSR2) == 1);
	CHECK(sigismember(&old.sa_mask, SIGHUP) == 0);
	act.sa_sigaction = handle_info;
	act.sa_flags = SA_SIGINFO;
	CHECK(sigaction(SIGUSR1, &act, &old) == 0 && old.sa_handler == handle);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
	CHECK(old.sa_sigaction == handle_info && old.sa_flags & SA_SIGINFO);
	CHECK(signal(SIGUSR1, SIG_IGN) == (sighandler_t)(void *)handle_info);
	raise(SIGUSR1);
	CHECK(signal(SIGUSR1, handle) == SIG_IGN);
	raise(SIGUSR1);
	CHECK(count == 1);
	CHECK(signal(SIGUSR1, SIG_DFL) == handle);
}

static void refuse(void)
{
	struct sigaction act = { .sa_handler = handle };

	errno = 0;
	CHECK(sigaction(SIGKILL, &act, NULL) == -1 && errno == EINVAL);
	errno = 0;
	CHECK(sigaction(0, &act, NULL) == -1 && errno == EINVAL);
	CHECK(sigaction(65, &act, NULL) == -1);
	CHECK(signal(SIGSTOP, handle) == SIG_ERR);
	CHECK(signal(-1, handle) == SIG_ERR);
}

static void once_only(void)
{
	struct sigaction act = { .sa_handler = handle,
				 .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	count = 0;
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
	CHECK(old.sa_flags & (int)SA_RESETHAND);
	raise(SIGUSR1);
	CHECK(count == 1);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	CHECK(sysv_signal(SIGUSR1, handle) == SIG_DFL);
	raise(SIGUSR1);
	CHECK(count == 2);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
}

static void nested(void)
{
	struct sigaction act = { .sa_handler = nest, .sa_flags = SA_NODEFER };

	count = 0;
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	raise(SIGUSR1);
	CHECK(deepest == 4 && depth == 0);
	act.sa_flags = 0;
	count = deepest = 0;
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	raise(SIGUSR1);
	CHECK(deepest == 1 && count == 4);
}

static void in_order(void)
{
	struct sigaction act = { .sa_sigaction = handle_info,
				 .sa_flags = SA_SIGINFO };
	sigset_t set, old;

	count = 0;
	CHECK(sigaction(SIGRTMIN + 1, &act, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	for (int i = 0; i < 20; i++)
		CHECK(sigqueue(getpid(), SIGRTMIN + 1,
			       (union sigval){ .sival_int = 100 + i }) == 0);
	CHECK(count == 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	CHECK(count == 20);
	for (int i = 0; i < 20; i++)
		CHECK(value[i] == 100 + i);
}

static void wait_and_wake(void)
{
	struct sigaction act = { .sa_handler = handle };
	sigset_t set, old;

	count = 0;
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	CHECK(sigsuspend(&old) == -1 && errno == EINTR && count == 1);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* A child inherits handlers, and may change its own. */
static void in_a_child(void)
{
	int status;
	pid_t pid;

	count = 0;
	CHECK(signal(SIGUSR1, handle) != SIG_ERR);
	pid = fork();
	if (!pid) {
		raise(SIGUSR1);
		CHECK(count == 1);
		CHECK(signal(SIGUSR1, SIG_IGN) == handle);
		raise(SIGUSR1);
		CHECK(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
		raise(SIGUSR1);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	raise(SIGUSR1);
	CHECK(count == 1);
}

int main(void)
{
	come_back();
	refuse();
	once_only();
	nested();
	in_order();
	wait_and_wake();
	in_a_child();
	return passed();
}
