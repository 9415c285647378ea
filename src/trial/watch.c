/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trial/interrupts.h"

void watch_signals(sigset_t *set)
{
	interrupts_fill(set);
	sigaddset(set, SIGCHLD);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Milliseconds until the deadline as poll wants them; -1: for ever. */
static int time_left(uint64_t deadline)
{
	uint64_t t = now();

	if (!deadline)
		return -1;
	if (t >= deadline)
		return 0;
	return deadline - t < INT_MAX ? (int)(deadline - t) : INT_MAX;
}

static bool reap(struct watch *w)
{
	pid_t pid;

	do {
		pid = waitpid(w->child, &w->wait_status, WNOHANG);
	} while (pid < 0 && errno == EINTR);
	return pid == w->child;
}

static void take_signal(struct watch *w)
{
	struct signalfd_siginfo s;

	if (read(w->signal_fd, &s, sizeof(s)) != sizeof(s) ||
	    s.ssi_signo == SIGCHLD)
		return;
	interrupts_tell((int)s.ssi_signo);
	w->stopped_by = (int)s.ssi_signo;
	/* The terminal sends to the whole foreground group: the child has
	 * had that one already. */
	if (s.ssi_code <= 0)
		kill(w->child, (int)s.ssi_signo);
}

static void ring(struct watch *w)
{
	atomic_fetch_add_explicit(w->bell, 1, memory_order_release);
	syscall(SYS_futex, w->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void *watch_main(void *arg)
{
	struct watch *w = arg;
	uint64_t deadline = w->time_limit ? now() + w->time_limit : 0;
	struct pollfd poll_for = { .fd = w->signal_fd, .events = POLLIN };

	while (!reap(w)) {
		int n = poll(&poll_for, 1, time_left(deadline));

		if (n > 0)
			take_signal(w);
		if (n == 0 && deadline) {
			w->timed_out = true;
			kill(w->child, SIGKILL);
			deadline = 0;
		}
	}
	atomic_store_explicit(&w->over, true, memory_order_release);
	ring(w);
	return NULL;
}

int watch_begin(struct watch *w, struct err *err)
{
	sigset_t set;
	int rc;

	watch_signals(&set);
	w->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signal_fd < 0)
		return err_set(err, "cannot wait for signals: %s",
			       strerror(errno));
	rc = pthread_create(&w->thread, NULL, watch_main, w);
	if (rc) {
		close(w->signal_fd);
		return err_set(err, "cannot start a thread: %s", strerror(rc));
	}
	return 0;
}

void watch_end(struct watch *w)
{
	pthread_join(w->thread, NULL);
	close(w->signal_fd);
}
