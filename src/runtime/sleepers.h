/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SLEEPERS_H
#define HEDDLE_SLEEPERS_H

/*
 * Those who wait for a time. Threads that are ASLEEP fire when their time has
 * come, or when nobody else can go on, the earliest deadline first; and now and
 * then before that, because nothing says how long the others take. Firing moves
 * the virtual clock to the deadline. Alarms (timing.h) ring by the same rules.
 *
 * Where the tool plays the world (world.h) time passes when the tool says so.
 * A server's housekeeping, with a point at each access, would else be nearly
 * all that happens beside two short requests. In every other run, by its seed,
 * a sleeper fires early once, at a point drawn among the `length` a run has.
 *
 * Part of every decision of the turn; called by the thread that has it.
 */

#include "runtime/turn.h"

#pragma GCC visibility push(hidden)

/* No sleeper's time comes earlier; whoever puts a thread to sleep lowers it. */
extern uint64_t sleepers_next;

void sleepers_begin(void);

/* The one whose time comes first, NO_THREAD when nobody sleeps. */
uint32_t sleepers_first(void);

/* Those whose time has come can go on like anybody else. */
void sleepers_due(void);

/* Time passes faster than it seems: one that is to go on before its time, or
 * NO_THREAD. To fire it and to give it the turn is one choice, so that a plan
 * can say it. */
uint32_t sleepers_early(enum step_what what);

/* Alarms that ring now. */
void sleepers_alarms(uint32_t me);

#pragma GCC visibility pop

#endif
