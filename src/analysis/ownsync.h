/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OWNSYNC_H
#define HEDDLE_OWNSYNC_H

/*
 * Synchronisation that a program makes for itself, of plain memory and atomics,
 * and what it does to the order of a run.
 *
 * Finds:
 *   - waiting loops. Reads that come again, alike, after a wait for a
 *     condition, or many times with nothing between: what ends such a loop is
 *     the write of what it reads. If the run has one write to these bytes, it
 *     is before the loop's last read in every run. A loop with nothing between
 *     must have ended by that write, not before it or long after (section
 *     5.2.2 of CTrigger's paper, which leaves it to the developer to say which
 *     loops wait).
 *   - queues. A loop waits for a condition, and its threads write to what it
 *     read before they leave the critical section: they take. One thread
 *     writes there and never waits: it puts. If as many were taken as put,
 *     the k-th taking of a thread is after the k-th putting, whoever else
 *     takes.
 *   - locks. A word that threads exchange and later store to, each by turns and
 *     never two at once, and whoever did not get it was seen to try again: a
 *     critical section of its own.
 *   - fresh memory. Nobody can use a block whose address the thread that
 *     allocated it has not yet written anywhere: not to memory that others
 *     use, nor given to a thread or a call.
 * Misses: what a run did not have to wait for; loops that were left out by the
 * filter, so it wants a trace with every access; flags that are written twice
 * after the first thread was created; queues with several who put.
 * Wrong when: a loop that reads the same again and again ends by itself just
 * when another thread writes there; a loop waits for one of several things
 * that all came about; a thread puts two with one write and another takes them
 * one by one, and the rest stays in the queue; an address is guessed, or goes
 * through code without hooks.
 *
 * All events are shown first, each thread's in their order (and once more if
 * ownsync_wants_more), then fed in the order of the run.
 */

#include "format/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ownsync;

struct ownsync *ownsync_new(void);
void ownsync_free(struct ownsync *s);

/* Reads there wait for a condition, or exchanges for a lock, as another run
 * has shown; and those that this one has shown besides, good until the next
 * call. */
void ownsync_learn(struct ownsync *s, uint32_t site);
const uint32_t *ownsync_waiting(const struct ownsync *s, size_t *count);

void ownsync_foresee(struct ownsync *s, const struct event *e, uint32_t site);

/* All were shown. True: show them again. */
bool ownsync_wants_more(struct ownsync *s);

/* What an event is beyond what it says. */
struct ownsync_effect {
	bool takes, gives; /* a note is acquired before, or released after */
	uint64_t note;	   /* its address, that of no memory */
	bool locks, unlocks;
	bool is_fresh; /* an access to memory that nobody else knows */
};

struct ownsync_effect ownsync_feed(struct ownsync *s, const struct event *e,
				   uint32_t site);

#endif
