/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VCLOCK_H
#define HEDDLE_VCLOCK_H

/*
 * Vector clocks. A clock says, for every thread, how many of that thread's
 * segments (event.h) are known to be over: component u is the number of
 * releases of u that happened before. So an access of thread u in its segment
 * s, written as the epoch (u, s), is before everything whose clock has more
 * than s at u. A thread's own component is what it last told others; its own
 * accesses are ordered by the program and never compared.
 *
 *   join      componentwise maximum: what two pasts know together
 *   a <= b    componentwise: everything a knows, b knows
 *
 * The zero value is the clock that knows nothing. A clock owns references to
 * blocks of components; blocks are shared by copies until one of them is
 * changed. So a copy costs a pointer for 16 threads, and a join of clocks
 * with a common past looks only at the blocks that differ: a run of thousands
 * of threads and locks stays small.
 *
 * Clocks that share blocks belong to one thread of the tool.
 *
 * Mattern, Virtual Time and Global States of Distributed Systems (1989);
 * epochs: Flanagan and Freund, FastTrack (PLDI 2009).
 */

#include "format/event.h"

#include <stdbool.h>
#include <stdint.h>

enum { VCLOCK_BLOCK = 16 };

struct vclock_block {
	uint32_t references;
	uint64_t at[VCLOCK_BLOCK];
};

struct vclock {
	struct vclock_block **blocks; /* NULL: all zero */
	uint32_t count, room;
};

static inline uint64_t vclock_get(const struct vclock *c, uint32_t thread)
{
	uint32_t n = thread / VCLOCK_BLOCK;

	if (n >= c->count || !c->blocks[n])
		return 0;
	return c->blocks[n]->at[thread % VCLOCK_BLOCK];
}

void vclock_set(struct vclock *c, uint32_t thread, uint64_t value);

/* Makes `to` equal to `from`. */
void vclock_copy(struct vclock *to, const struct vclock *from);

/* Makes `to` the join of both. */
void vclock_join(struct vclock *to, const struct vclock *from);

/* a <= b */
bool vclock_is_within(const struct vclock *a, const struct vclock *b);
bool vclock_is_equal(const struct vclock *a, const struct vclock *b);

/* Back to the zero value; nothing is kept. */
void vclock_done(struct vclock *c);

/* An epoch names a segment of a thread in one word, as EARLIER events do. */
typedef uint64_t epoch;

static inline epoch epoch_make(uint32_t thread, uint64_t segment)
{
	return earlier_arg(thread, segment);
}

static inline uint32_t epoch_thread(epoch e)
{
	return earlier_thread(e);
}

static inline uint64_t epoch_segment(epoch e)
{
	return earlier_segment(e);
}

/* Whether the segment is over and known to be, for whoever has this clock. */
static inline bool epoch_is_before(epoch e, const struct vclock *c)
{
	return epoch_segment(e) < vclock_get(c, epoch_thread(e));
}

#endif
