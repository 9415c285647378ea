/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCKSET_H
#define HEDDLE_LOCKSET_H

/*
 * The locks each thread holds at the present moment of the run, outermost
 * first, with the number of the critical section: the n-th acquisition of
 * that lock by that thread, from 1.
 *
 * Finds: mutexes, spin locks and read-write locks, with mode and depth.
 * A thread that waits on a condition gives its mutex back for that time (the
 * trace has the unlock and the lock).
 * Misses: locks made of atomics, and locks of modules without hooks' reach.
 * Wrong when: events are missing; a thread ends or is cancelled holding a
 * lock (it keeps holding it).
 * After Savage et al., Eraser (1997), whose lock sets these are.
 *
 * A *lock* is numbered in order of first use, from 1; an address whose lock
 * was destroyed, or whose memory was freed, is another lock afterwards.
 *
 * A *set* is a number too, so that millions of accesses can remember theirs:
 * set 0 is empty, any other is a set and one more lock. A set never changes.
 *
 * struct lock and struct lock_hold pointers are good until the next event.
 */

#include "analysis/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lock {
	uint64_t addr;
	enum lock_kind kind;
	uint32_t stack; /* where it was first met */
	struct location where;
	uint64_t acquisitions;
};

/* In the argument of taking a spin lock: a semaphore is one. */
enum { LOCK_IS_SEMAPHORE = 0x200 };

/* A lock that a thread holds. */
struct lock_hold {
	uint32_t lock;
	uint32_t depth; /* of recursion, from 1 */
	bool is_read;
	uint32_t stack; /* of the outermost acquisition */
	uint32_t section;
	uint64_t stamp;
	uint32_t set; /* this one and those outside it */
};

/* What a set adds to the one it is built on. */
struct lock_set {
	uint32_t outer;
	uint32_t lock;
	uint32_t stack;
	bool is_read;
};

struct locksets;

/* `where` names the locks; NULL: they are known by address only. */
struct locksets *locksets_new(struct locations *where);
void locksets_free(struct locksets *l);

/* Returns the number of the lock if the event is an acquisition from outside
 * (not a recursive one), else 0. */
uint32_t locksets_feed(struct locksets *l, const struct event *e);

/* Whether an acquisition was by a try function, so that it could not block. */
static inline bool lock_was_tried(const struct event *e)
{
	return e->arg & LOCK_TRIED;
}

/* The thread's set now. */
uint32_t lockset_of(struct locksets *l, uint32_t thread);
const struct lock_hold *lockset_holds(struct locksets *l, uint32_t thread,
				      size_t *count);

const struct lock_set *lockset_get(const struct locksets *l, uint32_t set);
size_t lockset_size(const struct locksets *l, uint32_t set);
const struct lock *lock_get(const struct locksets *l, uint32_t lock);
uint32_t locksets_locks(const struct locksets *l);

/* For a finding: the set outermost first, in an array the caller frees. */
struct held_lock *lockset_tell(const struct locksets *l, uint32_t set,
			       size_t *count);
struct held_lock lock_tell(const struct locksets *l, uint32_t lock,
			   bool is_read, uint32_t stack);

#endif
