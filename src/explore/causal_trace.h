/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAUSAL_TRACE_H
#define HEDDLE_CAUSAL_TRACE_H

/*
 * One run as the causal model sees it: the events of all threads in the order
 * in which they happened, with the values that were read and written. A plain
 * value: whoever makes it fills it in.
 *
 * Everything is a small number: threads, locations, locks, conditions,
 * semaphores, barriers. A location is a range of bytes that every event touches
 * whole or not at all; an access that spans several has a part for each. What
 * threads do must depend on nothing but what they read here, whether a try
 * succeeds, and who comes last to a barrier.
 *
 * A *try* takes a lock or a token if it can at that moment: with success it is
 * a CAUSAL_LOCK or CAUSAL_SEM_WAIT that is `tried`, else one of the two FAILs.
 * A try of a lock that the thread holds itself is no event.
 *
 * An event that is *bound* is of one step with the one before it in the trace,
 * which is its thread's: nothing happens between the two.
 *
 * A wait for a condition is two events: CAUSAL_WAIT, which lets the lock go and
 * queues, and CAUSAL_WAKE, which takes the lock again. A lock that is taken
 * several times by its holder appears with the outermost pair only. A thread
 * that no event creates is there from the beginning.
 */

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum causal_kind {
	CAUSAL_READ,
	CAUSAL_WRITE,
	CAUSAL_RMW, /* reads and writes at once */
	CAUSAL_LOCK,
	CAUSAL_LOCK_FAIL,
	CAUSAL_UNLOCK,
	CAUSAL_WAIT,
	CAUSAL_WAKE,
	CAUSAL_SIGNAL,
	CAUSAL_BROADCAST,
	CAUSAL_CREATE, /* of thread `object` */
	CAUSAL_BEGIN,
	CAUSAL_END,
	CAUSAL_JOIN, /* of thread `object` */
	CAUSAL_SEM_WAIT,
	CAUSAL_SEM_FAIL,
	CAUSAL_SEM_POST,
	CAUSAL_BARRIER_ENTER,
	CAUSAL_BARRIER_LEAVE,
};

enum { CAUSAL_NOBODY = 0xffffffff };

struct causal_event {
	enum causal_kind kind;
	uint32_t thread;
	uint32_t position;    /* in its thread: causal_trace_add sets it */
	uint32_t object;      /* lock, condition, semaphore, barrier, thread */
	uint32_t lock;	      /* of a wait and a wake */
	uint32_t wakes;	      /* of a signal: the thread, or CAUSAL_NOBODY */
	uint32_t round;	      /* of a barrier, from 0 */
	bool shared;	      /* a lock taken, tried or left by a reader */
	bool tried;	      /* a lock or a token that could have failed */
	bool timed_out;	      /* a wake that no signal caused */
	bool bound;	      /* to the event before */
	bool serial;	      /* entered the barrier as the last of its round */
	uint32_t part, parts; /* of an access, in the trace's parts */
};

struct causal_part {
	uint32_t location;
	uint64_t was;	  /* read */
	uint64_t becomes; /* written */
};

struct causal_trace {
	uint32_t threads, locks, conditions;
	uint32_t given; /* of the events: they have taken place already */
	VEC(struct causal_event) events;
	VEC(struct causal_part) parts;
	VEC(uint64_t) initial;	  /* by location */
	VEC(uint32_t) semaphores; /* their first counts */
	VEC(uint32_t) barriers;	  /* how many threads pass together */
	VEC(bool) waits; /* by thread: behind its last event, for ever */
};

static inline bool causal_waits(const struct causal_trace *t, uint32_t thread)
{
	return thread < t->waits.count && t->waits.at[thread];
}

/* One step of a schedule: an event, and for a signal whom it wakes. */
struct causal_step {
	uint32_t event;
	uint32_t wakes;
};

static inline bool causal_reads(const struct causal_event *e)
{
	return e->kind == CAUSAL_READ || e->kind == CAUSAL_RMW;
}

static inline bool causal_writes(const struct causal_event *e)
{
	return e->kind == CAUSAL_WRITE || e->kind == CAUSAL_RMW;
}

static inline bool causal_failed(const struct causal_event *e)
{
	return e->kind == CAUSAL_LOCK_FAIL || e->kind == CAUSAL_SEM_FAIL;
}

static inline bool causal_tries(const struct causal_event *e)
{
	return e->tried || causal_failed(e);
}

/* May it have another result than in the trace? */
static inline bool causal_varies(const struct causal_event *e)
{
	return causal_reads(e) || e->kind == CAUSAL_BARRIER_ENTER ||
	       causal_tries(e);
}

/* Where the step of an event begins. */
static inline uint32_t causal_step_of(const struct causal_trace *t,
				      uint32_t event)
{
	while (t->events.at[event].bound)
		event--;
	return event;
}

/* Who arrived last in the round of an arrival, if that was another one: when
 * this one comes last instead, that one has another result too. Else
 * CAUSAL_NOBODY (causal_barriers.c). */
uint32_t causal_turned(const struct causal_trace *t, uint32_t event);

/* Appends an event, and returns its number. */
static inline uint32_t causal_trace_add(struct causal_trace *t,
					struct causal_event e)
{
	e.position = 0;
	for (size_t i = t->events.count; i--;) {
		if (t->events.at[i].thread != e.thread)
			continue;
		e.position = t->events.at[i].position + 1;
		break;
	}
	vec_push(&t->events, e);
	return (uint32_t)(t->events.count - 1);
}

static inline void causal_trace_done(struct causal_trace *t)
{
	vec_free(&t->events);
	vec_free(&t->parts);
	vec_free(&t->initial);
	vec_free(&t->semaphores);
	vec_free(&t->barriers);
	vec_free(&t->waits);
}

#endif
