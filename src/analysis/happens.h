/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HAPPENS_H
#define HEDDLE_HAPPENS_H

/*
 * Happens-before: which events of a run are ordered by what the threads did
 * to make them so. Fed with the events in the order of trace_next, it keeps
 * the vector clock (vclock.h) of every thread at the present moment.
 *
 * Finds: the order of events by the program's text in each thread, and from
 * every release to the acquires that may have seen it: creation to begin, end
 * to join, unlock to the next lock, and so on. Two flavours:
 *   HAPPENS_ORDER  only what orders the same way in every run: creating and
 *                  joining threads, barriers.
 *   HAPPENS_ALL    everything that ordered this run, locks and atomics too.
 *                  (C17 7.17.3, POSIX 4.12; Lamport 1978.)
 * Misses: order made by means that leave no event (files, sockets, code
 * without hooks, inline assembly): say it with the release and acquire notes
 * of heddle.h.
 * Wrong when: events are missing (a damaged trace). Where a trace does not
 * tell which release an acquire saw, all that may be are taken, so the order
 * may be too strong (and a race be missed), never too weak:
 *   semaphore     a wait is after all posts so far (they are one chain of
 *                 read-modify-writes);
 *   condition     a wake is after every signal given while it waited;
 *   atomics       unless HAPPENS_EXACT, a store adds to what earlier stores
 *                 released, since stamps do not tell which store came last
 *                 and which one a load saw. With it, the order of events is
 *                 the order of operations: a store that is not a release ends
 *                 a release sequence, a read-modify-write continues it.
 *   barrier       threads that come in while an over-full round has not been
 *                 left by all are counted into it.
 *
 * A read lock of a read-write lock is after the last write unlock, a write
 * lock after all unlocks: readers do not order readers. Fences follow C17
 * 7.17.4: a release fence lends its clock to later relaxed stores, an acquire
 * fence collects what earlier relaxed loads saw.
 *
 * Segments. Every event for which event_is_release holds ends a segment of
 * its thread, in both flavours, so the numbers agree with the guest's.
 */

#include "analysis/vclock.h"
#include "format/event.h"

#include <stdbool.h>
#include <stdint.h>

enum happens_by {
	HAPPENS_BY_THREADS = 1,
	HAPPENS_BY_BARRIERS = 2,
	HAPPENS_BY_SEMS = 4,
	HAPPENS_BY_CONDS = 8,
	HAPPENS_BY_LOCKS = 16,
	HAPPENS_BY_ONCE = 32,
	HAPPENS_BY_ATOMICS = 64,
	HAPPENS_BY_NOTES = 128,
	HAPPENS_EXACT = 256,

	HAPPENS_ORDER = HAPPENS_BY_THREADS | HAPPENS_BY_BARRIERS,
	HAPPENS_ALL = 255,
};

struct happens;

struct happens *happens_new(unsigned int by);
void happens_free(struct happens *h);

/* An event has two sides, and an access belongs between them: it sees what
 * its own acquire brought, and is part of the segment that its own release
 * ends. Call both, for every event, in this order. */
void happens_acquire(struct happens *h, const struct event *e);
void happens_release(struct happens *h, const struct event *e);

/* Both, for those who do not look in between. */
static inline void happens_feed(struct happens *h, const struct event *e)
{
	happens_acquire(h, e);
	happens_release(h, e);
}

/* The present of a thread: its clock (good until the next event), and the
 * number of its segment. A clock changes only when something of this flavour
 * ordered the thread, so equal clocks of one thread mean the same to others. */
const struct vclock *happens_clock(struct happens *h, uint32_t thread);
uint64_t happens_segment(struct happens *h, uint32_t thread);

/* The thread was joined: nothing follows, and its clock is gone. */
bool happens_is_over(struct happens *h, uint32_t thread);

#endif
