/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TIMING_H
#define HEDDLE_TIMING_H

/*
 * Virtual time: the clocks a program sees under control.
 *
 * There is one clock, control->run.now, in nanoseconds since the start of the
 * run. All clocks of the program are that clock with a start of their own,
 * which is the same in every run: a program that prints the date, or seeds
 * something with it, does the same in every run of a schedule.
 *
 * The clock moves a little with every point and with every reading, and jumps
 * to the time a sleeper waits for when that sleeper goes on. Nobody waits for
 * it in the real world. Everything it does follows from what the threads did,
 * so a schedule that is followed sees the same times.
 *
 * A program that polls the clock until a time has come must get there: readings
 * between which nothing changed take longer and longer.
 *
 * All functions are called by the thread that has the turn.
 */

#include "runtime/control.h"

#include <time.h>

#pragma GCC visibility push(hidden)

/* A time of a clock as the turn counts it (turn_await): virtual nanoseconds
 * since the start, and never 0, which would mean no deadline. A time that has
 * passed gives one that has passed. The caller has seen to it that tv_nsec is
 * in its range. */
uint64_t timing_deadline(clockid_t which, const struct timespec *until);

/* The same for a time from now on, and in nanoseconds. */
uint64_t timing_deadline_in(const struct timespec *duration);
uint64_t timing_deadline_after(uint64_t nanoseconds);

/* What the clock shows, without reading it in the program's name. */
struct timespec timing_now(clockid_t which);

/* Is this a clock that shows virtual time? */
bool timing_knows(clockid_t which);

enum {
	TIMING_POINT = 100, /* nanoseconds a point takes */
	TIMING_PLAYED = 1,  /* in a world that is played, which says when time
			       passes; but who waits for it must not wait for
			       ever */
};

/* The program reads a clock; afterwards timing_now is what it shows. */
void timing_read(void);

/* ---- alarms ---- */

/* At virtual time `at` the turn calls `ring`, in the thread that has the turn,
 * inside the guest. It may set the alarm anew. The memory is the caller's. */
struct timing_alarm {
	uint64_t at; /* 0: not set */
	void (*ring)(struct timing_alarm *alarm);
	struct timing_alarm *next;
};

/* `at` is a deadline as above. Setting an alarm that is set moves it. */
void timing_alarm_set(struct timing_alarm *alarm, uint64_t at);
void timing_alarm_cancel(struct timing_alarm *alarm);

/* For the turn: when the first alarm rings, 0: none; and ring it, whatever the
 * clock shows. */
extern uint64_t timing_alarm_at;
void timing_alarm_ring(void);

#pragma GCC visibility pop

#endif
