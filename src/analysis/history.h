/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HISTORY_H
#define HEDDLE_HISTORY_H

/*
 * For every byte of memory, the accesses that a later one could still race
 * with. The race finder (race.h) asks and tells; this file keeps.
 *
 * The histories are exact, not a sample. An access may be forgotten only when
 * a later one *stands for* it: it came after it in happens-before, and
 * whatever would conflict with the forgotten one conflicts with the later
 * one. So if a new access is unordered with a forgotten one, it is unordered
 * with the one that stands for it, and a race is told:
 *
 *     an access is told to race on a byte iff some earlier conflicting access
 *     to that byte is unordered with it
 *
 * but for repetitions: where a thread has already made an access at least as
 * strong to the same bytes in the same segment, and nobody else has done
 * anything new there in between, it is not looked at again.
 *
 * What conflicts: two accesses of which one is a write and one is not atomic.
 * What stands for what: a plain write for all; a plain read for reads; an
 * atomic write for atomics; an atomic read for atomic reads. A thread thus
 * has at most two accesses to a byte in memory.
 *
 * Cells live in a pool and hang in lists, one for each 8 bytes, newest first.
 */

#include "analysis/granules.h"
#include "analysis/happens.h"
#include "analysis/vclock.h"

#include <stdbool.h>
#include <stdint.h>

/* An access, to be compared and remembered. */
struct access {
	epoch at;
	uint64_t stamp;
	uint64_t addr, size;
	uint32_t stack;
	uint32_t lockset;
	uint8_t kind; /* enum event_kind: READ, WRITE, VPTR_*, ATOMIC_*, FREE */
	bool is_earlier; /* told afterwards */
};

/* The largest range that is looked at; what lies behind is not. */
enum { HISTORY_RANGE = 1 << 28 };

/* Told for each run of bytes, within 8, in which two accesses race. */
typedef void history_race(void *self, const struct access *first,
			  const struct access *second, uint64_t addr,
			  unsigned int size);

struct history;

struct history *history_new(struct happens *order, history_race *race,
			    void *self);
void history_free(struct history *h);

/* An access at the present moment of its thread. */
void history_access(struct history *h, const struct access *a);

/* An access to this address comes soon: fetches what will be looked at then. To
 * be called with step 0, 1, 2 while other accesses are dealt with in between:
 * each step needs what the one before fetched. Changes nothing. */
enum { HISTORY_STEPS = 3 };
void history_expect(struct history *h, uint64_t addr, unsigned int step);

/* An access of the past: of thread and segment a->at. Later accesses are
 * compared with it as with any. With those told before, it is compared where
 * the clocks can tell for certain that the two are unordered; some of that
 * only when its segment ends. */
void history_earlier(struct history *h, const struct access *a);

/* The present segment of the thread is about to end (or the trace has). */
void history_settle(struct history *h, uint32_t thread);

/* Freeing a block: a write, after which nothing else matters. */
void history_end(struct history *h, const struct access *a);

/* The memory is new. */
void history_forget(struct history *h, uint64_t addr, uint64_t size);

bool access_is_write(unsigned int kind);

#endif
