/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EVENT_H
#define HEDDLE_EVENT_H

/*
 * An event is something a thread did. The kinds are in event.def.
 *
 * Time. A stamp is a reading of the processor's time-stamp counter, raised
 * where needed so that stamps ascend within each thread and on each object: an
 * acquire is stamped after it happened and a release before, so the order of
 * stamps is consistent with every release-acquire pair, and only events that
 * have nothing to do with each other can share a stamp. Plain accesses carry no
 * stamp of their own; a reader interpolates between the stamps around them.
 *
 * Segments. The release events of a thread number its segments: segment s of
 * a thread is what it did after its s-th release (s counts from 0) and up to
 * and including the next. That number is the thread's component of a vector
 * clock, and the guest and the analyses count it alike.
 *
 * Stacks. `stack` names a node of the tree of calls: the node's site is where
 * the event happened, its parent is the call that led there. See region.h.
 */

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
#define EVENT(name, text, fields, order) EVENT_##name,
#include "format/event.def"
#undef EVENT
	EVENT_KINDS
};

enum event_field {
	FIELD_ADDR = 1,
	FIELD_SIZE = 2,
	FIELD_ARG = 4,
	FIELD_STAMP = 8,
};

enum event_order {
	ORDER_NONE = 0,
	ORDER_RELEASE = 1,
	ORDER_ACQUIRE = 2,
	ORDER_BOTH = 3,
};

enum { NO_THREAD = 0xffffffff, NO_STACK = 0 };

/* In the argument of an acquisition: by a function that never waits. */
enum { LOCK_TRIED = 0x100 };

/* One event, decoded. Fields its kind does not have are 0. */
struct event {
	uint64_t stamp;
	uint64_t addr;
	uint64_t size;
	uint64_t arg;
	uint32_t stack;
	uint32_t thread;
	uint8_t kind; /* enum event_kind */
};

/* The argument of EARLIER_READ and EARLIER_WRITE: whose access it was, and in
 * which of its segments. addr and size give the bytes. */
static inline uint64_t earlier_arg(uint32_t thread, uint64_t segment)
{
	return segment << 24 | (thread & 0xffffff);
}

static inline uint32_t earlier_thread(uint64_t arg)
{
	return arg & 0xffffff;
}

static inline uint64_t earlier_segment(uint64_t arg)
{
	return arg >> 24;
}

/* The argument of ALLOC: how many blocks the thread allocated before, and how
 * many bytes the block has beyond those that were asked for. What ends a block
 * (FREE, and the write before it) ends all of it. */
static inline uint64_t alloc_arg(uint64_t before, uint64_t spare)
{
	const uint64_t most = (UINT64_C(1) << 24) - 1;

	return (spare < most ? spare : most) << 40 |
	       (before & ((UINT64_C(1) << 40) - 1));
}

static inline uint64_t alloc_before(uint64_t arg)
{
	return arg & ((UINT64_C(1) << 40) - 1);
}

static inline uint64_t alloc_extent(const struct event *e)
{
	uint64_t extent = e->size + (e->arg >> 40);

	return extent < e->size ? UINT64_MAX : extent;
}

/* Of an object that threads synchronise with: it begins, or ends. */
static inline bool event_remakes(unsigned int kind)
{
	switch (kind) {
	case EVENT_MUTEX_INIT:
	case EVENT_MUTEX_DESTROY:
	case EVENT_SPIN_INIT:
	case EVENT_SPIN_DESTROY:
	case EVENT_RWLOCK_INIT:
	case EVENT_RWLOCK_DESTROY:
	case EVENT_COND_INIT:
	case EVENT_COND_DESTROY:
	case EVENT_SEM_INIT:
	case EVENT_SEM_DESTROY:
	case EVENT_BARRIER_INIT:
	case EVENT_BARRIER_DESTROY:
		return true;
	default:
		return false;
	}
}

/* Tables of event.def, indexed by kind. */
static inline unsigned int event_fields(unsigned int kind)
{
	enum { A = FIELD_ADDR, S = FIELD_SIZE, X = FIELD_ARG, T = FIELD_STAMP };
	static const uint8_t fields[EVENT_KINDS] = {
#define EVENT(name, text, fields, order) [EVENT_##name] = fields,
#include "format/event.def"
#undef EVENT
	};
	return fields[kind];
}

static inline const char *event_text(unsigned int kind)
{
	static const char *const texts[EVENT_KINDS] = {
#define EVENT(name, text, fields, order) [EVENT_##name] = text,
#include "format/event.def"
#undef EVENT
	};
	return kind < EVENT_KINDS ? texts[kind] : "?";
}

/* The kind that is written so; -1: none, or there is no text. */
static inline int event_kind_of(const char *text)
{
	for (int kind = 0; text && kind < EVENT_KINDS; kind++)
		if (__builtin_strcmp(text, event_text((unsigned int)kind)) == 0)
			return kind;
	return -1;
}

/* What an event of this kind, with this argument, does to happens-before. A
 * relaxed atomic orders nothing; an acquire-release one does what its kind
 * allows. */
static inline enum event_order event_order(unsigned int kind, uint64_t arg)
{
	static const uint8_t orders[EVENT_KINDS] = {
#define EVENT(name, text, fields, order) [EVENT_##name] = ORDER_##order,
#include "format/event.def"
#undef EVENT
	};
	static const uint8_t by_memory_order[6] = {
		[0] = ORDER_NONE,    [1] = ORDER_ACQUIRE, [2] = ORDER_ACQUIRE,
		[3] = ORDER_RELEASE, [4] = ORDER_BOTH,	  [5] = ORDER_BOTH,
	};
	unsigned int order = orders[kind];

	if (kind >= EVENT_ATOMIC_LOAD && kind <= EVENT_FENCE)
		order &= arg < 6 ? by_memory_order[arg] : ORDER_BOTH;
	return (enum event_order)order;
}

static inline bool event_is_release(unsigned int kind, uint64_t arg)
{
	return event_order(kind, arg) & ORDER_RELEASE;
}

static inline bool event_is_plain_access(unsigned int kind)
{
	return kind <= EVENT_EARLIER_WRITE;
}

static inline bool event_is_atomic(unsigned int kind)
{
	return kind >= EVENT_ATOMIC_LOAD && kind <= EVENT_ATOMIC_CAS_FAIL;
}

#endif
