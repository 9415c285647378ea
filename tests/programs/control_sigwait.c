/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * A thread of its own takes the signals of the process, as servers do it. Real-
 * time signals keep their order and their values; a wait with a limit ends; a
 * signal to one thread does not go to another.
 */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static sigset_t all;
static _Atomic int got_first, got_last;
static int order_is_right = 1;

static void *take(void *unused)
{
	int next = 0, signal;
	siginfo_t info;

	(void)unused;
	for (;;) {
		sigwait(&all, &signal);
		if (signal != SIGUSR1)
			break;
		got_first++;
	}
	while (next < 3) {
		if (sigwaitinfo(&all, &info) != SIGRTMIN)
			continue;
		if (info.si_value.sival_int != next++)
			order_is_right = 0;
	}
	got_last = 1;
	return NULL;
}

int main(void)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	union sigval value;
	pthread_t thread;
	siginfo_t info;
	sigset_t mine;

	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigaddset(&all, SIGUSR2);
	sigaddset(&all, SIGTERM);
	sigaddset(&all, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	sigemptyset(&mine);
	sigaddset(&mine, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &mine, NULL);
	CHECK(sigtimedwait(&mine, &info, &moment) == -1 && errno == EAGAIN);
	pthread_create(&thread, NULL, take, NULL);
	kill(getpid(), SIGUSR1);
	while (!got_first)
		usleep(10);
	pthread_kill(pthread_self(), SIGHUP);
	CHECK(sigwaitinfo(&mine, &info) == SIGHUP);
	kill(getpid(), SIGTERM);
	for (int i = 0; i < 3; i++) {
		value.sival_int = i;
		sigqueue(getpid(), SIGRTMIN, value);
	}
	pthread_join(thread, NULL);
	CHECK(got_last);
	CHECK(order_is_right);
	return 0;
}
