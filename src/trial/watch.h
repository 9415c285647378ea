/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WATCH_H
#define HEDDLE_WATCH_H

/*
 * Waits for a child while the main thread does something else. A thread of
 * its own receives the signals of the tool (the caller has them blocked, see
 * watch_signals), passes on to the child those the child did not get from the
 * terminal itself, kills it when its time is up, and reaps it. Then it says
 * so in `over` and wakes whoever sleeps on the futex it was given.
 */

#include "base/err.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watch {
	pid_t child;
	uint64_t time_limit;	/* milliseconds, 0: none */
	_Atomic uint32_t *bell; /* raised and woken at the end */

	_Atomic bool over; /* set with release; what follows is then valid */
	int wait_status;
	int stopped_by; /* signal that told the tool to end, 0: none */
	bool timed_out;

	int signal_fd;
	pthread_t thread;
};

/* The signals that have to be blocked in every thread of the tool. */
void watch_signals(sigset_t *set);

/* `child`, `time_limit` and `bell` are filled in. */
MUST_USE int watch_begin(struct watch *w, struct err *err);
void watch_end(struct watch *w);

#endif
