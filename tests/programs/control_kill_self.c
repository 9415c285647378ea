/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule; with a word on the command line broken
 * signal 15 in main
 *
 * Signals to the process: any thread that lets them in may get them, and those
 * that block them do not. raise is over when its handler is.
 */
#include "guest_check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic int first, second, by_blocker;
static __thread int blocks;

static void handle(int signal)
{
	if (signal == SIGUSR1)
		first++;
	else
		second++;
	if (blocks)
		by_blocker++;
}

static void *stay(void *until)
{
	while (!*(_Atomic int *)until)
		usleep(10);
	return NULL;
}

static void *stay_blocked(void *until)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	blocks = 1;
	return stay(until);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = handle };
	static _Atomic int over;
	pthread_t threads[2];
	sigset_t set, pending;

	(void)argv;
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	raise(SIGUSR1);
	CHECK(first == 1);
	pthread_create(&threads[0], NULL, stay_blocked, &over);
	pthread_create(&threads[1], NULL, stay, &over);
	kill(getpid(), SIGUSR1);
	while (first < 2)
		usleep(10);
	/* Whoever blocks it gets it when it no longer does. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_kill(pthread_self(), SIGUSR2);
	CHECK(second == 0);
	sigpending(&pending);
	CHECK(sigismember(&pending, SIGUSR2));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	CHECK(second == 1);
	CHECK(first == 2);
	CHECK(!by_blocker);
	if (argc > 1)
		kill(getpid(), SIGTERM);
	over = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
