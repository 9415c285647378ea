/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TINY_MACHINE_H
#define HEDDLE_TINY_MACHINE_H

/*
 * Tiny programs that branch, wait and loop, and a machine that can be in all of
 * their states.
 *
 * Three threads; thread 0 creates the others. An operation is a site of its
 * own, makes at most one access, and says where to go on: so loops that wait
 * are loops here too. A state is a handful of bytes, and a loop that waits
 * comes back to the state it was in: all states are few, however long the runs.
 *
 * What the memory holds matters only where a test looks at it; data is read and
 * written for the order alone.
 */

#include "format/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum tiny_kind {
	TINY_READ,
	TINY_WRITE, /* value: what it becomes; TINY_MORE: one more */
	TINY_TEST,  /* reads; not 0: goes on at `to` */
	TINY_LOAD,  /* the same, atomic */
	TINY_STORE,
	TINY_COMPARE,  /* reads, as TINY_TEST; yes: it is more than `than` */
	TINY_EXCHANGE, /* sets; was 0: goes on, else at `to` */
	TINY_LOCK,
	TINY_UNLOCK,
	TINY_RDLOCK,
	TINY_WRLOCK,
	TINY_RWUNLOCK,
	TINY_POST,
	TINY_WAIT,
	TINY_ENTER,
	TINY_LEAVE,
	TINY_COND_WAIT, /* goes on at `to` */
	TINY_COND_WAKE, /* a step of its own */
	TINY_SIGNAL,
	TINY_BROADCAST,
	TINY_ALLOC,
	TINY_CREATE,
	TINY_JOIN,
	/* Without an event: goes on at `to`, always or so many times. */
	TINY_GO,
	TINY_TURN,
};

enum {
	TINY_THREADS = 3,
	TINY_OPS = 40,
	TINY_VARS = 10,
	TINY_MORE = 255,
};

struct tiny_op {
	uint8_t kind, object, value, than, to;
};

struct tiny_program {
	uint64_t random;
	uint8_t count[TINY_THREADS];
	uint8_t initial; /* of the semaphore */
	uint8_t parties; /* of the barrier */
	bool has_block;	 /* somebody allocates it */
	struct tiny_op op[TINY_THREADS][TINY_OPS];
};

struct tiny_state {
	uint8_t at[TINY_THREADS];
	uint8_t turns[TINY_THREADS];
	uint8_t value[TINY_VARS];
	uint8_t owner; /* of the mutex, + 1 */
	uint8_t readers, writer;
	uint8_t tokens, inside;
	uint8_t waiting, woken; /* threads, as bits */
	uint8_t created;
};

static inline const struct tiny_op *tiny_next(const struct tiny_program *p,
					      const struct tiny_state *s,
					      unsigned int t)
{
	return &p->op[t][s->at[t]];
}

static inline bool tiny_is_over(const struct tiny_program *p,
				const struct tiny_state *s, unsigned int t)
{
	return s->at[t] >= p->count[t];
}

static inline struct tiny_state tiny_begin(const struct tiny_program *p)
{
	struct tiny_state s;

	memset(&s, 0, sizeof(s));
	s.tokens = p->initial;
	s.created = 1;
	return s;
}

static inline bool tiny_can(const struct tiny_program *p,
			    const struct tiny_state *s, unsigned int t)
{
	const struct tiny_op *op = tiny_next(p, s, t);

	if (!(s->created >> t & 1) || tiny_is_over(p, s, t))
		return false;
	switch (op->kind) {
	case TINY_LOCK:
		return !s->owner;
	case TINY_COND_WAKE:
		return !s->owner && s->woken >> t & 1;
	case TINY_RDLOCK:
		return !s->writer;
	case TINY_WRLOCK:
		return !s->writer && !s->readers;
	case TINY_WAIT:
		return s->tokens > 0;
	case TINY_LEAVE:
		return s->inside >= p->parties;
	case TINY_JOIN:
		return tiny_is_over(p, s, op->object);
	default:
		return true;
	}
}

static inline bool tiny_is_access(const struct tiny_op *op)
{
	return op->kind <= TINY_EXCHANGE;
}

static inline bool tiny_reads(const struct tiny_op *op)
{
	return op->kind != TINY_WRITE && op->kind != TINY_STORE;
}

static inline bool tiny_writes(const struct tiny_op *op)
{
	return op->kind == TINY_WRITE || op->kind == TINY_STORE ||
	       op->kind == TINY_EXCHANGE;
}

/* Of several who wait a signal wakes the lowest, on this machine. */
static inline void tiny_wake(struct tiny_state *s, bool all)
{
	uint8_t waits = s->waiting & (uint8_t)~s->woken;

	s->woken |= all ? waits : (uint8_t)(waits & -waits);
}

static inline void tiny_memory(struct tiny_state *s, unsigned int t,
			       const struct tiny_op *op)
{
	uint8_t *v = &s->value[op->object];
	uint8_t was = *v;

	if (op->kind == TINY_WRITE || op->kind == TINY_STORE)
		*v = op->value == TINY_MORE ? (uint8_t)(was + 1) : op->value;
	if (op->kind == TINY_EXCHANGE)
		*v = 1;
	s->at[t]++;
	if (((op->kind == TINY_TEST || op->kind == TINY_LOAD ||
	      op->kind == TINY_EXCHANGE) &&
	     was) ||
	    (op->kind == TINY_COMPARE && was > s->value[op->than]))
		s->at[t] = op->to;
}

static inline void tiny_synchronise(struct tiny_state *s, unsigned int t,
				    const struct tiny_op *op)
{
	uint8_t bit = (uint8_t)(1u << t);

	switch (op->kind) {
	case TINY_LOCK:
		s->owner = (uint8_t)(t + 1);
		break;
	case TINY_UNLOCK:
		s->owner = 0;
		break;
	case TINY_RDLOCK:
		s->readers++;
		break;
	case TINY_WRLOCK:
		s->writer = (uint8_t)(t + 1);
		break;
	case TINY_RWUNLOCK:
		if (s->writer)
			s->writer = 0;
		else
			s->readers--;
		break;
	case TINY_POST:
		s->tokens++;
		break;
	case TINY_WAIT:
		s->tokens--;
		break;
	case TINY_ENTER:
		s->inside++;
		break;
	case TINY_COND_WAIT:
		s->owner = 0;
		s->waiting |= bit;
		break;
	case TINY_COND_WAKE:
		s->owner = (uint8_t)(t + 1);
		s->waiting &= (uint8_t)~bit;
		s->woken &= (uint8_t)~bit;
		break;
	case TINY_SIGNAL:
	case TINY_BROADCAST:
		tiny_wake(s, op->kind == TINY_BROADCAST);
		break;
	case TINY_CREATE:
		s->created |= (uint8_t)(1u << op->object);
		break;
	default:
		break;
	}
}

/* Thread t, which can, takes its next step. */
static inline void tiny_step(const struct tiny_program *p, struct tiny_state *s,
			     unsigned int t)
{
	const struct tiny_op *op = tiny_next(p, s, t);

	if (tiny_is_access(op)) {
		tiny_memory(s, t, op);
	} else if (op->kind == TINY_GO) {
		s->at[t] = op->to;
	} else if (op->kind == TINY_TURN) {
		s->turns[t] = (uint8_t)((s->turns[t] + 1) % op->value);
		s->at[t] = s->turns[t] ? op->to : (uint8_t)(s->at[t] + 1);
	} else {
		tiny_synchronise(s, t, op);
		s->at[t] = op->kind == TINY_COND_WAKE ? op->to :
							(uint8_t)(s->at[t] + 1);
	}
}

/* ---- events ---- */

static inline uint32_t tiny_site(unsigned int t, unsigned int op)
{
	return 1 + t * TINY_OPS + op;
}

/* Variables share granules in pairs; the last one is in a block. */
static inline uint64_t tiny_addr(const struct tiny_op *op)
{
	return op->object == TINY_VARS - 1 ? 0x9000 : 0x1000 + 4u * op->object;
}

static inline uint8_t tiny_event_kind(const struct tiny_op *op)
{
	static const uint8_t kinds[] = {
		[TINY_READ] = EVENT_READ,
		[TINY_WRITE] = EVENT_WRITE,
		[TINY_TEST] = EVENT_READ,
		[TINY_LOAD] = EVENT_ATOMIC_LOAD,
		[TINY_STORE] = EVENT_ATOMIC_STORE,
		[TINY_COMPARE] = EVENT_READ,
		[TINY_EXCHANGE] = EVENT_ATOMIC_RMW,
		[TINY_LOCK] = EVENT_MUTEX_LOCK,
		[TINY_UNLOCK] = EVENT_MUTEX_UNLOCK,
		[TINY_RDLOCK] = EVENT_RWLOCK_RDLOCK,
		[TINY_WRLOCK] = EVENT_RWLOCK_WRLOCK,
		[TINY_RWUNLOCK] = EVENT_RWLOCK_UNLOCK,
		[TINY_POST] = EVENT_SEM_POST,
		[TINY_WAIT] = EVENT_SEM_WAIT,
		[TINY_ENTER] = EVENT_BARRIER_ENTER,
		[TINY_LEAVE] = EVENT_BARRIER_LEAVE,
		[TINY_COND_WAIT] = EVENT_COND_WAIT,
		[TINY_COND_WAKE] = EVENT_COND_WAKE,
		[TINY_SIGNAL] = EVENT_COND_SIGNAL,
		[TINY_BROADCAST] = EVENT_COND_BROADCAST,
		[TINY_ALLOC] = EVENT_ALLOC,
		[TINY_CREATE] = EVENT_THREAD_CREATE,
		[TINY_JOIN] = EVENT_THREAD_JOIN,
	};

	return kinds[op->kind];
}

/* What the step tells, up to two events; returns how many. */
static inline unsigned int tiny_tell(const struct tiny_program *p,
				     const struct tiny_state *s, unsigned int t,
				     struct event out[2])
{
	static const uint64_t addrs[EVENT_KINDS] = {
		[EVENT_MUTEX_LOCK] = 0x2000,	 [EVENT_MUTEX_UNLOCK] = 0x2000,
		[EVENT_RWLOCK_RDLOCK] = 0x3000,	 [EVENT_RWLOCK_WRLOCK] = 0x3000,
		[EVENT_RWLOCK_UNLOCK] = 0x3000,	 [EVENT_SEM_POST] = 0x4000,
		[EVENT_SEM_WAIT] = 0x4000,	 [EVENT_BARRIER_ENTER] = 0x5000,
		[EVENT_BARRIER_LEAVE] = 0x5000,	 [EVENT_COND_WAIT] = 0x6000,
		[EVENT_COND_WAKE] = 0x6000,	 [EVENT_COND_SIGNAL] = 0x6000,
		[EVENT_COND_BROADCAST] = 0x6000, [EVENT_ALLOC] = 0x9000,
	};
	const struct tiny_op *op = tiny_next(p, s, t);
	struct event e = { .thread = t, .stack = tiny_site(t, s->at[t]) };

	if (op->kind >= TINY_GO)
		return 0;
	e.kind = tiny_event_kind(op);
	e.addr = tiny_is_access(op) ? tiny_addr(op) : addrs[e.kind];
	if (tiny_is_access(op))
		e.size = 4;
	if (op->kind == TINY_ALLOC)
		e.size = 16;
	if (event_is_atomic(e.kind))
		e.arg = 5;
	if (op->kind == TINY_CREATE || op->kind == TINY_JOIN)
		e.arg = op->object;
	if (op->kind == TINY_COND_WAIT)
		e.arg = 0x2000;
	out[0] = e;
	if (op->kind != TINY_COND_WAIT && op->kind != TINY_COND_WAKE)
		return 1;
	out[1] = e;
	out[1].addr = 0x2000;
	out[1].arg = 0;
	out[1].kind = op->kind == TINY_COND_WAIT ? EVENT_MUTEX_UNLOCK :
						   EVENT_MUTEX_LOCK;
	return 2;
}

/* For who wants to know why a test fails. */
static inline void tiny_print(const struct tiny_program *p, FILE *out)
{
	fprintf(out, "semaphore %u, barrier of %u\n", p->initial, p->parties);
	for (unsigned int t = 0; t < TINY_THREADS; t++)
		for (unsigned int i = 0; i < p->count[t]; i++) {
			const struct tiny_op *op = &p->op[t][i];

			fprintf(out, "%3u: thread %u: %s %u", tiny_site(t, i),
				t,
				op->kind >= TINY_GO ?
					"go" :
					event_text(tiny_event_kind(op)),
				op->object);
			fprintf(out, op->to ? " to %u\n" : "\n",
				tiny_site(t, op->to));
		}
}

#endif
