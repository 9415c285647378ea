/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RANDOM_RUN_H
#define HEDDLE_RANDOM_RUN_H

/*
 * Random traces for the causal model: threads that do whatever they can do at
 * the moment, drawn by chance, so that every trace is one that can happen.
 */

#include <string.h>

#include "explore/simulate.h"
#include "format/rng.h"

enum { RUN_THREADS = 16, RUN_LOCKS = 8 };

struct run_size {
	uint32_t threads, events; /* events of each thread */
	uint32_t locations, values, locks;
	bool sync;   /* conditions, semaphores, barriers, readers' locks */
	bool tries;  /* some locks and tokens are tried for */
	bool family; /* thread 0 creates and joins the others */
	bool wide;   /* some accesses span two locations */
	bool steps;  /* some accesses are bound to the one before */
};

struct run {
	struct run_size size;
	struct causal_trace *trace;
	struct rng rng;
	struct simulation state;
	uint32_t left[RUN_THREADS];
	uint32_t held[RUN_THREADS][RUN_LOCKS]; /* 0, 1 writer, 2 reader */
	uint32_t waits[RUN_THREADS];	       /* condition plus 1 */
	uint32_t wait_lock[RUN_THREADS];
	uint32_t inside[RUN_THREADS]; /* round of the barrier plus 1 */
	uint32_t born, joined;
	bool ended[RUN_THREADS];
};

/* Appends the event if it can take place now. */
static inline bool run_try(struct run *r, struct causal_event e)
{
	uint32_t n = causal_trace_add(r->trace, e);

	if (simulation_step(&r->state, (struct causal_step){ n, e.wakes }) ==
	    SIMULATE_DONE)
		return true;
	r->trace->events.count--;
	return false;
}

static inline bool run_access(struct run *r, uint32_t thread, bool bound)
{
	static const enum causal_kind kinds[] = { CAUSAL_READ, CAUSAL_READ,
						  CAUSAL_WRITE, CAUSAL_WRITE,
						  CAUSAL_RMW };
	uint32_t location = rng_below(&r->rng, r->size.locations);
	struct causal_event e = {
		.kind = kinds[rng_below(&r->rng, r->size.sync ? 5 : 4)],
		.thread = thread,
		.part = (uint32_t)r->trace->parts.count,
		.parts = 1,
		.bound = bound,
	};

	if (r->size.wide && !rng_below(&r->rng, 3) &&
	    location + 1 < r->size.locations)
		e.parts = 2;
	for (uint32_t i = 0; i < e.parts; i++)
		vec_push(&r->trace->parts,
			 (struct causal_part){
				 location + i,
				 simulation_value(&r->state, location + i),
				 rng_below(&r->rng, r->size.values) });
	return run_try(r, e);
}

static inline bool run_lock(struct run *r, uint32_t thread)
{
	uint32_t lock = rng_below(&r->rng, r->size.locks);
	uint32_t *held = &r->held[thread][lock];
	struct causal_event e = { .thread = thread, .object = lock };

	if (*held) {
		e.kind = CAUSAL_UNLOCK;
		e.shared = *held == 2;
		*held = 0;
		return run_try(r, e);
	}
	e.kind = CAUSAL_LOCK;
	e.shared = r->size.sync && !rng_below(&r->rng, 4);
	e.tried = r->size.tries && rng_below(&r->rng, 2);
	if (run_try(r, e)) {
		*held = 1 + e.shared;
		return true;
	}
	e.kind = CAUSAL_LOCK_FAIL;
	return e.tried && run_try(r, e);
}

static inline bool run_wait(struct run *r, uint32_t thread)
{
	uint32_t lock = rng_below(&r->rng, r->size.locks);
	struct causal_event e = { .kind = CAUSAL_WAIT,
				  .thread = thread,
				  .lock = lock };

	if (r->held[thread][lock] != 1 || !run_try(r, e))
		return false;
	r->held[thread][lock] = 0;
	r->waits[thread] = 1;
	r->wait_lock[thread] = lock;
	return true;
}

static inline bool run_wake(struct run *r, uint32_t thread)
{
	struct causal_event e = { .kind = CAUSAL_WAKE,
				  .thread = thread,
				  .lock = r->wait_lock[thread] };

	e.timed_out = simulation_waits(&r->state, thread, 0) &&
		      !rng_below(&r->rng, 8);
	if (!run_try(r, e))
		return false;
	r->held[thread][e.lock] = 1;
	r->waits[thread] = 0;
	return true;
}

static inline bool run_signal(struct run *r, uint32_t thread)
{
	struct causal_event e = { .kind = CAUSAL_SIGNAL,
				  .thread = thread,
				  .wakes = CAUSAL_NOBODY };
	uint32_t first = rng_below(&r->rng, r->size.threads);

	if (!rng_below(&r->rng, 3))
		e.kind = CAUSAL_BROADCAST;
	for (uint32_t i = 0; i < r->size.threads; i++) {
		uint32_t other = (first + i) % r->size.threads;

		if (e.kind == CAUSAL_SIGNAL &&
		    simulation_waits(&r->state, other, 0))
			e.wakes = other;
	}
	return run_try(r, e);
}

static inline bool run_count(struct run *r, uint32_t thread)
{
	struct causal_event e = { .kind = rng_below(&r->rng, 2) ?
						  CAUSAL_SEM_WAIT :
						  CAUSAL_SEM_POST,
				  .thread = thread };

	e.tried = e.kind == CAUSAL_SEM_WAIT && r->size.tries &&
		  rng_below(&r->rng, 2);
	if (run_try(r, e))
		return true;
	e.kind = CAUSAL_SEM_FAIL;
	return e.tried && run_try(r, e);
}

static inline bool run_enter(struct run *r, uint32_t thread)
{
	uint64_t arrived = r->state.words[r->state.barriers];
	uint32_t size = r->trace->barriers.at[0];
	struct causal_event e = { .kind = CAUSAL_BARRIER_ENTER,
				  .thread = thread,
				  .round = (uint32_t)(arrived / size),
				  .serial = arrived % size == size - 1 };

	r->inside[thread] = e.round + 1;
	return run_try(r, e);
}

static inline bool run_leave(struct run *r, uint32_t thread)
{
	struct causal_event e = { .kind = CAUSAL_BARRIER_LEAVE,
				  .thread = thread,
				  .round = r->inside[thread] - 1 };

	if (!run_try(r, e))
		return false;
	r->inside[thread] = 0;
	return true;
}

/* Thread 0 has children to make, or the thread has come to its end. */
static inline bool run_live(struct run *r, uint32_t thread)
{
	struct causal_event e = { .kind = CAUSAL_END, .thread = thread };

	if (!r->size.family)
		return false;
	if (thread == 0 && r->born < r->size.threads &&
	    (r->left[0] == 0 || !rng_below(&r->rng, 2))) {
		e.kind = CAUSAL_CREATE;
		e.object = r->born++;
		return run_try(r, e);
	}
	if (r->left[thread])
		return false;
	if (thread == 0 && r->joined < r->size.threads) {
		e.kind = CAUSAL_JOIN;
		e.object = r->joined;
		r->joined += run_try(r, e);
		return true;
	}
	r->ended[thread] = true;
	return run_try(r, e);
}

static inline bool run_other(struct run *r, uint32_t thread)
{
	if (!r->size.sync)
		return r->size.locks ? run_lock(r, thread) : false;
	switch (rng_below(&r->rng, 12)) {
	case 0:
	case 1:
		return run_wait(r, thread);
	case 2:
	case 3:
		return run_signal(r, thread);
	case 4:
	case 5:
		return run_count(r, thread);
	case 6:
		return run_enter(r, thread);
	default:
		return run_lock(r, thread);
	}
}

static inline void run_turn(struct run *r, uint32_t thread)
{
	bool done;

	if (r->ended[thread] || thread >= r->born)
		return;
	if (r->waits[thread]) {
		run_wake(r, thread);
		return;
	}
	if (r->inside[thread]) {
		run_leave(r, thread);
		return;
	}
	if (run_live(r, thread) || !r->left[thread])
		return;
	if (rng_below(&r->rng, 5) < 3)
		done = run_access(r, thread, false);
	else
		done = run_other(r, thread);
	r->left[thread] -= done;
	while (done && r->size.steps && r->left[thread] &&
	       !rng_below(&r->rng, 2)) {
		done = run_access(r, thread, true);
		r->left[thread] -= done;
	}
}

/* The simulator must be told of threads that are created later. */
static inline void run_prepare(struct run *r)
{
	struct causal_trace *t = r->trace;

	t->threads = r->size.threads;
	t->locks = r->size.locks;
	t->conditions = 1;
	for (uint32_t i = 0; i < r->size.locations; i++)
		vec_push(&t->initial, 0);
	vec_push(&t->semaphores, rng_below(&r->rng, 3));
	vec_push(&t->barriers, r->size.threads);
	r->joined = 1;
	r->born = r->size.family ? 1 : r->size.threads;
	for (uint32_t i = 0; i < t->threads; i++)
		r->left[i] = r->size.events;
	simulation_init(&r->state, t);
	for (uint32_t i = r->born; i < t->threads; i++)
		r->state.words[r->state.living + i] = 0;
}

static inline void run_make(struct causal_trace *t, struct run_size size,
			    uint64_t seed)
{
	struct run r = { .size = size, .trace = t, .rng = rng_seeded(seed) };

	memset(t, 0, sizeof(*t));
	run_prepare(&r);
	for (uint32_t i = 0; i < size.threads * size.events * 8; i++)
		run_turn(&r, rng_below(&r.rng, size.threads));
	simulation_done(&r.state);
}

#endif
