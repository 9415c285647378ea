/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RACE_TURNS_H
#define HEDDLE_RACE_TURNS_H

/*
 * Turns: what comes first in time, arranged so that no recorder sees it. The
 * program runs in one order and yet its threads are as unordered as if chance
 * had chosen it.
 *
 * A thread is busy with memory of its own for long enough that the recorder no
 * longer keeps everything it does.
 */

#include <pthread.h>
#include <sched.h>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

static volatile int turn;

UNSEEN static void turn_wait(int n)
{
	while (turn < n)
		sched_yield();
	__asm__ volatile("" ::: "memory");
}

/* For one thread at a time. */
UNSEEN static void turn_end(void)
{
	__asm__ volatile("" ::: "memory");
	turn = turn + 1;
}

/* Accesses have no stamps of their own. This has one and orders nothing, so
 * that a reader of the trace can tell a block from the one before it. */
static inline void take_stamp(void)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&own);
	pthread_mutex_unlock(&own);
}

static __thread volatile int busy_with;

static void be_busy(void)
{
	for (int i = 0; i < 20000; i++)
		busy_with = busy_with + i;
}

/* Runs two functions in two threads, to the end. */
static inline void run_both(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t t[2];

	pthread_create(&t[0], 0, one, 0);
	pthread_create(&t[1], 0, other, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
}

#endif
