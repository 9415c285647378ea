/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HUNT_H
#define HEDDLE_HUNT_H

/*
 * What the strategy *hunt* is asked to bring about, and what it saw: a short
 * sequence of events of several threads, each described by where it may happen
 * (a bit of its site, see SITE_EVENTS of control_block.h), by its operation, by
 * the call stack, and by which of the events are on the same object and made by
 * the same thread.
 *
 * The tool fills in everything down to `report` before a request; the guest
 * writes the report, anew in each run.
 *
 * Call stacks are compared as sequences of functions, inlined ones included, so
 * that they mean the same when a program was compiled otherwise. The guest
 * knows sites only; `spans` say which functions a stretch of sites is in, the
 * innermost first, as a part of `functions`. A function is the hash of its
 * name.
 */

#include "format/event.h"

#include <stdint.h>

enum {
	HUNT_EVENTS = 4,
	HUNT_ANY_OBJECT = HUNT_EVENTS, /* the event may be on any */
	HUNT_FRAMES = 48,
	HUNT_SPANS = 1 << 17,
	HUNT_FUNCTIONS = 1 << 18,
};

/* What an event does, as far as signatures care. All other kinds of events
 * count as themselves, from HUNT_OTHER on. */
enum hunt_operation {
	HUNT_READ,
	HUNT_WRITE,
	HUNT_LOCK,
	HUNT_UNLOCK,
	HUNT_OTHER,
};

enum hunt_flag {
	HUNT_ANY_STACK = 1,   /* call stacks do not matter */
	HUNT_ANY_OBJECTS = 2, /* objects that should differ need not */
};

static inline uint32_t hunt_operation(uint8_t kind)
{
	switch (kind) {
	case EVENT_READ:
	case EVENT_VPTR_READ:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_CAS_FAIL:
		return HUNT_READ;
	case EVENT_WRITE:
	case EVENT_VPTR_WRITE:
	case EVENT_ATOMIC_STORE:
	case EVENT_ATOMIC_RMW:
		return HUNT_WRITE;
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_FAIL:
	case EVENT_SPIN_LOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
	case EVENT_RWLOCK_FAIL:
		return HUNT_LOCK;
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
		return HUNT_UNLOCK;
	default:
		return HUNT_OTHER + (uint32_t)kind;
	}
}

struct hunt_event {
	uint32_t operation; /* enum hunt_operation */
	uint32_t object;    /* events of equal numbers have the same object */
	uint32_t thread;    /* and the same thread; others have others */
	uint32_t distance;  /* of call stacks, at most */
	uint64_t low, high; /* the object is in there; 0: it may be any */
	uint32_t frame_count;
	uint32_t frames[HUNT_FRAMES]; /* functions, innermost first */
};

struct hunt_span {
	uint32_t low, high; /* sites of instructions */
	uint32_t first, count;
};

/* An event that was brought about. */
struct hunt_done {
	uint32_t site;
	uint32_t thread;
	uint32_t stack; /* node */
	uint32_t distance;
	uint64_t object;
	uint64_t point;
};

struct hunt_report {
	uint32_t reached;  /* how many events in order, at best */
	uint32_t attempts; /* how often the first one was tried */
	uint32_t releases; /* holds that were given up */
	/* For each event: how often a thread stood before one like it, and how
	 * often it was at such a site but did something else, or had come by
	 * another way; then the least distance of those ways. */
	uint32_t similar[HUNT_EVENTS];
	uint32_t other_operation[HUNT_EVENTS];
	uint32_t other_stack[HUNT_EVENTS];
	uint32_t other_object[HUNT_EVENTS];
	uint32_t least_distance[HUNT_EVENTS];
	struct hunt_done done[HUNT_EVENTS]; /* of the best attempt */
};

struct hunt {
	uint32_t count; /* of events; 0: hunt for nothing */
	uint32_t flags; /* enum hunt_flag */
	uint32_t pass;	/* of 256 events that fit, so many are let pass */
	uint32_t noise; /* at so many of 256 points another thread may go on */
	uint64_t patience; /* points that a thread is held at most */
	struct hunt_event events[HUNT_EVENTS];
	uint32_t span_count;
	uint32_t function_count;
	struct hunt_report report;
	struct hunt_span spans[HUNT_SPANS]; /* ascending, apart */
	uint32_t functions[HUNT_FUNCTIONS];
};

#endif
