/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUN_TRACE_H
#define HEDDLE_RUN_TRACE_H

/*
 * One run with values, copied out of the region (format/traced.h): its lines in
 * their order, and for each thread what it did.
 *
 * A thread's *history* is the list of its lines, with what it read. For each
 * length there is a hash of the history so far, the same in every run in which
 * the thread did and read the same. So two runs are compared thread by thread
 * with a search, and a set of hashes is a set of histories.
 *
 * Idle rounds of a waiting loop are no part of a history: lines between two
 * moments at which the guest has seen the thread in the same private state,
 * and earlier rounds that look just like these.
 *
 * Owned by whoever took it; nothing in it changes later.
 */

#include "analysis/keymap.h"
#include "base/vec.h"
#include "format/region.h"

#include <stdbool.h>

struct run_thread {
	VEC(uint32_t) lines;   /* of its history */
	VEC(uint64_t) history; /* hash of the first n lines, from n = 0 */
	bool waits;	       /* when the run ended */
};

struct run_trace {
	struct traced *lines;
	uint32_t line_count;
	uint8_t *pool;
	struct run_thread *threads;
	uint32_t thread_count;
	uint64_t unmodelled; /* as the guest says, by kind of event */
	uint32_t learned;
	bool is_cut;	 /* the rest of the run is missing */
	bool is_timed;	 /* a wait had a time limit */
	bool is_waiting; /* at its end, for what others might have ended */
	uint32_t unused; /* reads that were left out */
	/* What threads stood before when the run ended. */
	struct traced *pending;
	uint32_t pending_count;
};

/* Reads at the sites in `unused`, which may be NULL, become accesses of no
 * bytes: no part of what a thread read. Writes at the sites in `blends` read as
 * well (blends.h). */
struct run_trace *run_trace_take(const struct region *r,
				 const struct keymap *unused,
				 const struct keymap *blends);
void run_trace_free(struct run_trace *t);

/* The history of a line's thread before it, and its place there; false for a
 * line of an idle round. */
bool run_trace_place(const struct run_trace *t, uint32_t line, uint32_t *place);

/* With how many lines do both histories of a thread begin? */
uint32_t run_trace_shared(const struct run_thread *a,
			  const struct run_thread *b);

/* What a line read, as a hash; 0 where it reads nothing. `bytes`: in place of
 * what was there, NULL: that. */
uint64_t run_trace_read(const struct run_trace *t, uint32_t line,
			const uint8_t *bytes);

/* What a line left behind, as a hash. */
uint64_t run_trace_left(const struct run_trace *t, const struct traced *e);

/* The bytes before and after an access; at most TRACED_WIDEST. */
const uint8_t *run_trace_was(const struct run_trace *t, const struct traced *e);
const uint8_t *run_trace_becomes(const struct run_trace *t,
				 const struct traced *e);

/* Everything the threads did and read, in one number. */
uint64_t run_trace_class(const struct run_trace *t);

/* Do both lines say the same, but for what they read? */
bool run_trace_is_alike(const struct run_trace *a, uint32_t i,
			const struct run_trace *b, uint32_t k);

/* The first line in which two runs differ, line_count of the shorter where
 * they do not. */
uint32_t run_trace_differ(const struct run_trace *a, const struct run_trace *b);

static inline bool traced_is_access(const struct traced *e)
{
	switch (e->kind) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_STORE:
	case EVENT_ATOMIC_RMW:
	case EVENT_ONCE_PASS:
	case EVENT_ONCE_DONE:
		return e->size != 0;
	default:
		return false;
	}
}

static inline bool traced_reads(const struct traced *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_ATOMIC_LOAD ||
	       e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_ONCE_PASS ||
	       (e->kind == EVENT_WRITE && e->other == TRACED_BLENDS);
}

static inline bool traced_writes(const struct traced *e)
{
	if (e->flags & TRACED_FAILED)
		return false;
	return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC_STORE ||
	       e->kind == EVENT_ATOMIC_RMW || e->kind == EVENT_ONCE_PASS ||
	       e->kind == EVENT_ONCE_DONE;
}

/* Takes a lock or a token if that is possible at the moment. */
static inline bool traced_tries(const struct traced *e)
{
	return e->kind == EVENT_MUTEX_FAIL || e->kind == EVENT_RWLOCK_FAIL ||
	       e->kind == EVENT_SEM_FAIL;
}

/* The mutex or spin lock that a line takes or lets go, else 0. */
static inline uint64_t traced_lock(const struct traced *e)
{
	if (!(e->flags & (TRACED_TOOK | TRACED_LEFT)))
		return 0;
	switch (e->kind) {
	case EVENT_COND_WAIT:
		return e->was;
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_FAIL: /* a try, which may have taken it */
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_LOCK:
	case EVENT_SPIN_UNLOCK:
		return e->object;
	default:
		return 0;
	}
}

#endif
