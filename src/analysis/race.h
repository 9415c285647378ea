/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RACE_H
#define HEDDLE_RACE_H

/*
 * The data-race finder.
 *
 * Finds: two accesses to the same bytes by different threads, one at least a
 * write, one at least not atomic, that nothing in this run ordered (happens.h,
 * HAPPENS_ALL). Freeing a block counts as a write to it. Exact to the byte,
 * and exact for the run: at least one race is told on a byte iff the trace has
 * one there, and each access that races with an earlier one is told to, but
 * for repetitions (history.h).
 * Misses: races that another schedule would show; accesses that left no
 * event; the bytes behind the first 256 MiB of one access; what came between
 * a NOTE_IGNORE and its end, or touched only NOTE_BENIGN bytes. Of an access
 * told afterwards (EARLIER), those races with accesses that the merged trace
 * shows before it which the clocks at the end of its segment do not prove.
 * Wrong when: order was made by means that leave no event (then it tells a
 * race that is none; see heddle.h for how to say so), or events are missing.
 * After Flanagan and Freund, FastTrack (PLDI 2009), and Serebryany and
 * Iskhodzhanov, ThreadSanitizer (WBIA 2009), for bytes in granules.
 *
 * A pair of sites is told once, with its first example, and counted.
 */

#include "analysis/finding.h"
#include "analysis/happens.h"
#include "analysis/lockset.h"

/* What the finder asks while it runs. It owns none of it. */
struct race_inputs {
	struct happens *order;
	struct locksets *locks;	 /* NULL: lock sets are not told */
	struct locations *where; /* NULL: places are told as addresses */
	/* The innermost site of a stack; NULL: each stack is a site. */
	uint32_t (*site_of)(const void *self, uint32_t stack);
	const void *self;
};

struct races;

struct races *races_new(const struct race_inputs *inputs);
void races_free(struct races *r);

/* Between happens_acquire and happens_release of the same event, after the
 * lock sets and the locations. */
void races_feed(struct races *r, const struct event *e);

/* The event will be fed soon; see history_expect. */
void races_expect(struct races *r, const struct event *e, unsigned int step);

/* The memory is in other hands from now on, for a reason that is no event: a
 * thread's stack that was an earlier thread's. */
void races_forget(struct races *r, uint64_t addr, uint64_t size);

/* All findings so far, in order of discovery. The caller owns the array and
 * what the findings point to (race_done); the finder begins anew. */
struct race_finding *races_take(struct races *r, size_t *count);

void race_done(struct race_finding *f);

#endif
