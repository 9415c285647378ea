/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACED_H
#define HEDDLE_TRACED_H

/*
 * A run under control, event by event and with values: what `heddle explore`
 * reasons about, and the orders it asks for. A part of the region (region.h),
 * used where CONTROL_VALUES is set.
 *
 * `entries` has one line for each point at which a thread went on, in the order
 * in which that happened, and one for each thread that was created. Plain
 * accesses are there if their site is shared (control_block.h), atomic ones and
 * synchronisation always; before the program creates its first thread there is
 * nothing. What a write left behind is filled in at its thread's next event,
 * for the hook comes before the write.
 *
 * A call of libc that touches several ranges is one step: a line for each, of
 * which all but the first are bound to the one before. Nobody else can go on
 * between two such lines.
 *
 * `order` says for each line which thread it must be of; the strategy `order`
 * gives the turn accordingly. Behind its end each thread runs as long as it
 * can.
 *
 * Written by the thread that has the turn; the tool reads when the run is
 * over.
 */

#include "format/event.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	TRACED_MOST = 1 << 20,
	TRACED_POOL = 1 << 25,
	TRACED_BYTES = 8, /* values up to this size stand in the entry */
	TRACED_WIDEST = 1 << 14,
	TRACED_THREADS = 64, /* that `could` tells of */
	TRACED_SLEEPERS = 256,
};

enum traced_flag {
	TRACED_TOOK = 1,     /* a lock was taken (from free), a token, an end */
	TRACED_LEFT = 2,     /* a lock was let go (to free) */
	TRACED_TIME = 4,     /* time ended the wait */
	TRACED_OPEN = 8,     /* `becomes` is not filled in */
	TRACED_SPIN = 16,    /* the thread is where it was `cycle` of its
			     entries ago, registers and stack the same */
	TRACED_FAILED = 32,  /* an exchange that found another value */
	TRACED_SERIAL = 64,  /* the last at a barrier */
	TRACED_UNREAD = 128, /* the values could not be read */
	TRACED_BOUND = 256,  /* part of the step of the line before */
	TRACED_ADDED = 512,  /* its thread made no point before it */
};

struct traced {
	uint64_t object; /* address, or thread */
	uint64_t was;	 /* the value before; wider: its place in the pool */
	uint64_t becomes;
	uint64_t could; /* threads that could have gone on here, by bit */
	uint32_t site;
	uint32_t size;	/* of an access */
	uint32_t other; /* woken thread, NO_THREAD: none; see below */
	uint32_t cycle;
	uint16_t thread;
	uint16_t flags;
	uint8_t kind; /* enum event_kind */
};

/* Uses of `was` that are no values: the mutex of a wait, the threads that a
 * signal could have woken (by bit), the tokens of a semaphore, how many make
 * a round of a barrier, 1 where a read-write lock is tried for reading. */

/* `other` of an access. Of a read of a pointer: the site at which its thread
 * used the value as an address soon after. Of a write: TRACED_FREES where it
 * stands for the end of a block, TRACED_BLENDS where the tool has found out
 * that it keeps a part of what was there. Else NO_THREAD. */
enum { TRACED_FREES = 0xfffffffe, TRACED_BLENDS = 0xfffffffd };

struct traced_order {
	uint32_t thread;
	uint32_t pick; /* whom a signal wakes; NO_THREAD: anybody */
};

struct traced_area {
	uint32_t order_count;
	/* Threads that are not to go on behind the order, until somebody does
	 * something that conflicts with one of the events of the step that they
	 * stand before. */
	uint32_t sleep_count;
	struct traced sleep[TRACED_SLEEPERS];
	uint32_t count;
	uint32_t pool_used;
	/* Accesses that turned out to be shared although their place was taken
	 * for private: this run, and those before it, show too little. */
	uint32_t learned;
	uint64_t unmodelled; /* kinds of points that are no events, by bit */
	uint32_t is_full;    /* the rest is missing */
	uint32_t is_timed;   /* a wait had a time limit */
	uint32_t threads;    /* that the run had */
	struct traced_order order[TRACED_MOST];
	struct traced entries[TRACED_MOST];
	uint8_t pool[TRACED_POOL];
};

/* ---- which events conflict ---- */

enum traced_class {
	TRACED_NOTHING,
	TRACED_ACCESS,
	TRACED_OBJECT, /* of its own: a lock, a condition, a semaphore */
	TRACED_LIFE,
	TRACED_WORLD, /* conflicts with everything */
};

static inline enum traced_class traced_class(const struct traced *e)
{
	switch (e->kind) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_STORE:
	case EVENT_ATOMIC_RMW:
	case EVENT_ONCE_PASS:
	case EVENT_ONCE_DONE:
		return TRACED_ACCESS;
	case EVENT_TIME:
		return TRACED_NOTHING;
	case EVENT_THREAD_CREATE:
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END:
	case EVENT_THREAD_JOIN:
		return TRACED_LIFE;
	case EVENT_CALL:
	case EVENT_FORK:
	case EVENT_SIGNAL_BEGIN:
	case EVENT_FUTEX_WAIT:
	case EVENT_FUTEX_WAKE:
		return TRACED_WORLD;
	default:
		return TRACED_OBJECT;
	}
}

static inline bool traced_only_reads(const struct traced *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD ||
	       e->kind == EVENT_RWLOCK_RDLOCK || e->flags & TRACED_FAILED;
}

static inline bool traced_life_conflicts(const struct traced *a,
					 const struct traced *b)
{
	/* The number of a thread says how many there were. */
	if (a->kind == EVENT_THREAD_CREATE && b->kind == EVENT_THREAD_CREATE)
		return true;
	return (a->kind == EVENT_THREAD_CREATE &&
		b->kind == EVENT_THREAD_BEGIN && a->object == b->thread) ||
	       (a->kind == EVENT_THREAD_END && b->kind == EVENT_THREAD_JOIN &&
		b->object == a->thread);
}

/* Does the order of these two events of different threads matter? */
static inline bool traced_conflicts(const struct traced *a,
				    const struct traced *b)
{
	enum traced_class x = traced_class(a), y = traced_class(b);

	if (x == TRACED_WORLD || y == TRACED_WORLD)
		return x != TRACED_NOTHING && y != TRACED_NOTHING;
	if (x != y)
		return false;
	if (x == TRACED_LIFE)
		return traced_life_conflicts(a, b) ||
		       traced_life_conflicts(b, a);
	if (x == TRACED_NOTHING ||
	    (traced_only_reads(a) && traced_only_reads(b)))
		return false;
	if (x == TRACED_ACCESS)
		return a->object < b->object + (b->size ? b->size : 1) &&
		       b->object < a->object + (a->size ? a->size : 1);
	/* A wait for a condition lets its mutex go. */
	return a->object == b->object ||
	       (a->kind == EVENT_COND_WAIT && a->flags & TRACED_LEFT &&
		a->was == b->object) ||
	       (b->kind == EVENT_COND_WAIT && b->flags & TRACED_LEFT &&
		b->was == a->object);
}

#endif
