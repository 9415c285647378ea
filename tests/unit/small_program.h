/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SMALL_PROGRAM_H
#define HEDDLE_SMALL_PROGRAM_H

/*
 * Small random programs without branches, all of whose interleavings are
 * known. Such a program is in a state that its threads' positions alone
 * determine: so the states are few, and what an interleaving can show is a
 * question of which states can be reached from which.
 *
 * Thread 0 creates and joins the others. Each operation is a site of its own.
 */

#include "format/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum small_op_kind {
	SMALL_READ,
	SMALL_WRITE,
	SMALL_LOCK,
	SMALL_UNLOCK,
	SMALL_POST,
	SMALL_WAIT,
	SMALL_ENTER,
	SMALL_LEAVE,
	SMALL_CREATE,
	SMALL_JOIN,
};

enum { SMALL_THREADS = 3, SMALL_OPS = 10, SMALL_STATES = 11 * 11 * 11 };

/* What a program may have. */
enum { SMALL_LOCKS = 1, SMALL_SEMS = 2, SMALL_BARRIER = 4 };

struct small_op {
	enum small_op_kind kind;
	unsigned int object;
};

struct small_program {
	uint64_t random;
	unsigned int with;
	unsigned int initial; /* of the semaphore */
	unsigned int count[SMALL_THREADS];
	struct small_op op[SMALL_THREADS][SMALL_OPS];
};

struct small_state {
	unsigned int at[SMALL_THREADS];
};

static inline unsigned int small_draw(struct small_program *p, unsigned int n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (unsigned int)((p->random >> 11) % n);
}

static inline void small_add(struct small_program *p, unsigned int t,
			     enum small_op_kind kind, unsigned int object)
{
	p->op[t][p->count[t]++] = (struct small_op){ kind, object };
}

static inline void small_access(struct small_program *p, unsigned int t)
{
	small_add(p, t, small_draw(p, 2) ? SMALL_READ : SMALL_WRITE,
		  small_draw(p, 3) ? 0 : 1);
}

static inline void small_worker(struct small_program *p, unsigned int t)
{
	unsigned int barrier = p->with & SMALL_BARRIER ? small_draw(p, 4) : 9;
	bool is_locked = false;

	for (unsigned int i = 0; i < 5; i++) {
		if (i == barrier && !is_locked) {
			small_add(p, t, SMALL_ENTER, 0);
			small_add(p, t, SMALL_LEAVE, 0);
		} else if (p->with & SMALL_LOCKS && small_draw(p, 3) == 0) {
			small_add(p, t, is_locked ? SMALL_UNLOCK : SMALL_LOCK,
				  0);
			is_locked = !is_locked;
		} else if (p->with & SMALL_SEMS && small_draw(p, 4) == 0) {
			small_add(p, t,
				  small_draw(p, 2) ? SMALL_POST : SMALL_WAIT,
				  0);
		} else {
			small_access(p, t);
		}
	}
	if (is_locked)
		small_add(p, t, SMALL_UNLOCK, 0);
}

static inline void small_make(struct small_program *p, uint64_t seed,
			      unsigned int with)
{
	memset(p, 0, sizeof(*p));
	p->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	p->with = with;
	for (int i = 0; i < 8; i++)
		small_draw(p, 2);
	p->initial = small_draw(p, 2);
	small_access(p, 0);
	small_add(p, 0, SMALL_CREATE, 1);
	small_access(p, 0);
	small_add(p, 0, SMALL_CREATE, 2);
	small_access(p, 0);
	small_add(p, 0, SMALL_JOIN, 1);
	small_access(p, 0);
	small_worker(p, 1);
	small_worker(p, 2);
}

/* How many operations of that kind a thread has behind it. */
static inline unsigned int small_done(const struct small_program *p,
				      const struct small_state *s,
				      unsigned int t, enum small_op_kind kind)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->at[t]; i++)
		n += p->op[t][i].kind == kind;
	return n;
}

static inline unsigned int small_total(const struct small_program *p,
				       const struct small_state *s,
				       enum small_op_kind kind)
{
	unsigned int n = 0;

	for (unsigned int t = 0; t < SMALL_THREADS; t++)
		n += small_done(p, s, t, kind);
	return n;
}

static inline bool small_is_created(const struct small_program *p,
				    const struct small_state *s, unsigned int t)
{
	for (unsigned int i = 0; t && i < s->at[0]; i++)
		if (p->op[0][i].kind == SMALL_CREATE && p->op[0][i].object == t)
			return true;
	return !t;
}

/* The threads that have a barrier at all. */
static inline unsigned int small_parties(const struct small_program *p)
{
	struct small_state end = { { p->count[0], p->count[1], p->count[2] } };

	return small_total(p, &end, SMALL_ENTER);
}

static inline bool small_can(const struct small_program *p,
			     const struct small_state *s, unsigned int t)
{
	const struct small_op *op = &p->op[t][s->at[t]];

	if (s->at[t] == p->count[t] || !small_is_created(p, s, t))
		return false;
	switch (op->kind) {
	case SMALL_LOCK:
		return small_total(p, s, SMALL_LOCK) ==
		       small_total(p, s, SMALL_UNLOCK);
	case SMALL_WAIT:
		return p->initial + small_total(p, s, SMALL_POST) >
		       small_total(p, s, SMALL_WAIT);
	case SMALL_LEAVE:
		return small_total(p, s, SMALL_ENTER) == small_parties(p);
	case SMALL_JOIN:
		return s->at[op->object] == p->count[op->object];
	default:
		return true;
	}
}

static inline unsigned int small_number(const struct small_state *s)
{
	return (s->at[0] * 11 + s->at[1]) * 11 + s->at[2];
}

static inline void small_reach(const struct small_program *p,
			       struct small_state s, bool *is_reached)
{
	if (is_reached[small_number(&s)])
		return;
	is_reached[small_number(&s)] = true;
	for (unsigned int t = 0; t < SMALL_THREADS; t++) {
		struct small_state next = s;

		next.at[t]++;
		if (small_can(p, &s, t))
			small_reach(p, next, is_reached);
	}
}

/* Can operation `op` of thread t be reached from that state? */
static inline bool small_reaches(const struct small_program *p,
				 struct small_state s, unsigned int t,
				 unsigned int op)
{
	bool is_reached[SMALL_STATES] = { false };
	struct small_state at;

	small_reach(p, s, is_reached);
	for (at.at[0] = 0; at.at[0] <= p->count[0]; at.at[0]++)
		for (at.at[1] = 0; at.at[1] <= p->count[1]; at.at[1]++)
			for (at.at[2] = 0; at.at[2] <= p->count[2]; at.at[2]++)
				if (is_reached[small_number(&at)] &&
				    at.at[t] == op && small_can(p, &at, t))
					return true;
	return false;
}

/* Is there an interleaving with operation r of thread u between the operations
 * pre and c of thread t? All three are accesses. */
static inline bool small_shows(const struct small_program *p, unsigned int t,
			       unsigned int pre, unsigned int c, unsigned int u,
			       unsigned int r)
{
	bool is_reached[SMALL_STATES] = { false };
	struct small_state s = { { 0 } };

	small_reach(p, s, is_reached);
	for (s.at[0] = 0; s.at[0] <= p->count[0]; s.at[0]++)
		for (s.at[1] = 0; s.at[1] <= p->count[1]; s.at[1]++)
			for (s.at[2] = 0; s.at[2] <= p->count[2]; s.at[2]++) {
				struct small_state next = s;

				next.at[u]++;
				if (is_reached[small_number(&s)] &&
				    s.at[t] > pre && s.at[t] <= c &&
				    s.at[u] == r && small_can(p, &s, u) &&
				    small_reaches(p, next, t, c))
					return true;
			}
	return false;
}

static inline bool small_is_access(const struct small_program *p,
				   unsigned int t, unsigned int op,
				   unsigned int place)
{
	return op < p->count[t] && p->op[t][op].kind <= SMALL_WRITE &&
	       p->op[t][op].object == place;
}

/* The access of the thread before its operation c to the same place, or -1. */
static inline int small_preceding(const struct small_program *p, unsigned int t,
				  unsigned int c)
{
	for (unsigned int i = c; i-- > 0;)
		if (small_is_access(p, t, i, p->op[t][c].object))
			return (int)i;
	return -1;
}

/* ---- one run ---- */

static inline uint32_t small_site(unsigned int thread, unsigned int op)
{
	return 1 + thread * SMALL_OPS + op;
}

static inline struct event small_event(const struct small_program *p,
				       unsigned int t, unsigned int op)
{
	static const uint8_t kinds[] = {
		[SMALL_READ] = EVENT_READ,
		[SMALL_WRITE] = EVENT_WRITE,
		[SMALL_LOCK] = EVENT_MUTEX_LOCK,
		[SMALL_UNLOCK] = EVENT_MUTEX_UNLOCK,
		[SMALL_POST] = EVENT_SEM_POST,
		[SMALL_WAIT] = EVENT_SEM_WAIT,
		[SMALL_ENTER] = EVENT_BARRIER_ENTER,
		[SMALL_LEAVE] = EVENT_BARRIER_LEAVE,
		[SMALL_CREATE] = EVENT_THREAD_CREATE,
		[SMALL_JOIN] = EVENT_THREAD_JOIN,
	};
	const struct small_op *o = &p->op[t][op];
	struct event e = { .kind = kinds[o->kind],
			   .thread = t,
			   .stack = small_site(t, op) };

	if (o->kind == SMALL_CREATE || o->kind == SMALL_JOIN)
		e.arg = o->object;
	else
		e.addr = 0x1000 * (o->kind < SMALL_LOCK ? 1 : o->kind / 2u) +
			 o->object * 4;
	if (o->kind < SMALL_LOCK)
		e.size = 4;
	return e;
}

/* Writes the events of a random run; 0 when it got stuck. */
static inline size_t small_run(struct small_program *p, struct event *out)
{
	struct small_state s = { { 0 } };
	size_t n = 0;
	unsigned int left = p->count[0] + p->count[1] + p->count[2];

	out[n++] = (struct event){ .kind = EVENT_SEM_INIT,
				   .addr = 0x2000,
				   .arg = p->initial };
	out[n++] = (struct event){ .kind = EVENT_BARRIER_INIT,
				   .addr = 0x3000,
				   .arg = small_parties(p) };
	for (unsigned int tries = 0; left && tries < 1000; tries++) {
		unsigned int t = small_draw(p, SMALL_THREADS);

		if (!small_can(p, &s, t))
			continue;
		if (t && !s.at[t])
			out[n++] = (struct event){ .kind = EVENT_THREAD_BEGIN,
						   .thread = t };
		out[n++] = small_event(p, t, s.at[t]++);
		if (t && s.at[t] == p->count[t])
			out[n++] = (struct event){ .kind = EVENT_THREAD_END,
						   .thread = t };
		left--;
	}
	for (size_t i = 0; i < n; i++)
		out[i].stamp = 10 * (i + 1);
	return left ? 0 : n;
}

#endif
