/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BLOCKING_AWAY_H
#define HEDDLE_BLOCKING_AWAY_H

/*
 * Threads that are really away: in a call between turn_away and turn_back, or
 * asleep somewhere in the kernel when the watchdog took the turn from them.
 *
 * Somebody has to decide while they are gone. The thread that leaves does, if
 * another can go on at once. If none can, it sends a thread that waits for its
 * turn anyway on an *errand*: to decide in its place, which may take long. If
 * there is no such thread either, the turn is *vacant*, and whoever comes back
 * first decides.
 *
 * A thread that comes back says so in a flag of its own, and waits. That it is
 * back is found in a decision, like everything of blocking.h.
 */

#include "runtime/blocking.h"

#pragma GCC visibility push(hidden)

/* How many threads are away, back or not. */
extern uint32_t away_count;

bool away_is_back(uint32_t number);

/* Takes in those nobody has heard of, who came to a point; or this one. */
void away_look(uint32_t me);
bool away_take_in(uint32_t me, uint32_t number);
extern _Atomic uint32_t away_foreign_count;

static inline bool away_foreigners(void)
{
	return atomic_load_explicit(&away_foreign_count,
				    memory_order_relaxed) != 0;
}

/* Sleeps until somebody comes back who was not when away_seen was asked; -1:
 * for ever. */
uint32_t away_seen(void);
void away_sleep(uint32_t seen, int64_t limit_ms);

/* The thread, which has the turn and is in a library that knows of no points,
 * lets others have it, and runs on. */
void away_run(struct thread *t, uintptr_t pc);

/* blocking.c: those who wait for the world. */
void blocking_add(uint32_t number);
void blocking_remove(uint32_t number);

#pragma GCC visibility pop

#endif
