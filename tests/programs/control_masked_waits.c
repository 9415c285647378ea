/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * Calls that wait with a mask of their own: a signal that is blocked before and
 * after is let in by the wait alone, and ends it. The mask is the old one
 * afterwards. What is ready when the call begins comes before the signal, and
 * who only looks is interrupted as well.
 */
#define _GNU_SOURCE
#include "guest_check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static _Atomic int handled;
static pthread_t waiter;
static sigset_t open_mask;
static int ends[2];

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void *send(void *unused)
{
	pthread_kill(waiter, SIGUSR1);
	return unused;
}

static int wait_ppoll(void)
{
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };

	return ppoll(&fd, 1, NULL, &open_mask);
}

static int look_ppoll(void)
{
	const struct timespec none = { 0 };
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };
	int rc;

	while ((rc = ppoll(&fd, 1, &none, &open_mask)) == 0)
		sched_yield();
	return rc;
}

static int wait_pselect(void)
{
	const struct timespec long_time = { .tv_sec = 100000 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return pselect(ends[0] + 1, &set, NULL, NULL, &long_time, &open_mask);
}

static int wait_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	int rc;

	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	rc = epoll_pwait(epoll, &event, 1, -1, &open_mask);
	close(epoll);
	return rc;
}

static void check(int (*wait)(void))
{
	int before = handled;
	pthread_t sender;
	sigset_t now;

	pthread_create(&sender, NULL, send, NULL);
	CHECK(wait() == -1 && errno == EINTR);
	CHECK(handled == before + 1);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	CHECK(sigismember(&now, SIGUSR1));
	pthread_join(sender, NULL);
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };
	sigset_t blocked;
	char byte = 'x';

	waiter = pthread_self();
	sigaction(SIGUSR1, &act, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &blocked, &open_mask);
	CHECK(pipe(ends) == 0);
	check(wait_ppoll);
	check(look_ppoll);
	check(wait_pselect);
	check(wait_epoll);

	CHECK(write(ends[1], &byte, 1) == 1);
	pthread_kill(waiter, SIGUSR1);
	CHECK(wait_ppoll() == 1 && handled == 4);
	return 0;
}
