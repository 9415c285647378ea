/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RANDOM_TRUTH_H
#define HEDDLE_RANDOM_TRUTH_H

/*
 * What is true of a random world by definition, the slow and obvious way:
 * happens-before has one edge for each release and each acquire that
 * synchronises with it, as the standards define it, and is the transitive
 * closure over all events; two accesses race when it does not order them.
 * Nothing here uses a clock.
 */

#include "random_world.h"

/* ---- happens-before by definition ---- */

/* Did the object of event i still exist, as the same, at event j? */
static inline bool random_same_object(const struct world *w, size_t i, size_t j)
{
	const struct event *e = &w->at[i];

	if (e->addr != w->at[j].addr)
		return false;
	for (size_t k = i + 1; k < j; k++) {
		const struct event *end = &w->at[k];

		if (end->kind == EVENT_MUTEX_DESTROY && end->addr == e->addr)
			return false;
		if ((end->kind == EVENT_FREE || end->kind == EVENT_ALLOC) &&
		    e->addr >= end->addr && e->addr < end->addr + end->size)
			return false;
	}
	return true;
}

/* Was the unlock at i by the writer? */
static inline bool random_was_writer(const struct world *w, size_t i)
{
	const struct event *e = &w->at[i];

	for (size_t k = i; k-- > 0;)
		if (w->at[k].thread == e->thread && w->at[k].addr == e->addr &&
		    (w->at[k].kind == EVENT_RWLOCK_WRLOCK ||
		     w->at[k].kind == EVENT_RWLOCK_RDLOCK))
			return w->at[k].kind == EVENT_RWLOCK_WRLOCK;
	return false;
}

/* Did the thread of the wake at j wait when i was signalled? */
static inline bool random_was_waiting(const struct world *w, size_t i, size_t j)
{
	for (size_t k = j; k-- > 0;)
		if (w->at[k].thread == w->at[j].thread &&
		    w->at[k].kind == EVENT_COND_WAIT)
			return k < i;
	return false;
}

static inline bool random_is_store(const struct event *e)
{
	return e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

static inline bool random_is_load(const struct event *e)
{
	return e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_RMW ||
	       e->kind == EVENT_ATOMIC_CAS_FAIL;
}

/* Is the store at i in a release sequence whose value the load at j reads?
 * Exactly: all stores between are read-modify-writes. Otherwise any may be. */
static inline bool random_may_read(const struct world *w, size_t i, size_t j,
				   bool is_exact)
{
	if (!random_is_store(&w->at[i]) || !random_is_load(&w->at[j]) ||
	    w->at[i].addr != w->at[j].addr)
		return false;
	for (size_t k = i + 1; is_exact && k < j; k++)
		if (w->at[k].kind == EVENT_ATOMIC_STORE &&
		    w->at[k].addr == w->at[i].addr)
			return false;
	return true;
}

static inline bool random_is_fence(const struct world *w, size_t i,
				   unsigned int order)
{
	const struct event *e = &w->at[i];

	return e->kind == EVENT_FENCE && event_order(e->kind, e->arg) & order;
}

/* Does what the event at i stores carry a release of the event at a? */
static inline bool random_releases_by(const struct world *w, size_t a, size_t i)
{
	if (a == i)
		return event_is_release(w->at[i].kind, w->at[i].arg);
	return w->at[a].thread == w->at[i].thread &&
	       random_is_fence(w, a, ORDER_RELEASE);
}

/* Does what the event at j loads reach an acquire by the event at b? */
static inline bool random_acquires_by(const struct world *w, size_t b, size_t j)
{
	if (b == j)
		return event_order(w->at[j].kind, w->at[j].arg) & ORDER_ACQUIRE;
	return w->at[b].thread == w->at[j].thread &&
	       random_is_fence(w, b, ORDER_ACQUIRE);
}

static inline void random_close_pair(struct world *w, size_t i, size_t j)
{
	for (size_t a = 0; a <= i; a++)
		for (size_t b = j; b < w->count; b++)
			w->before[a][b] |= random_releases_by(w, a, i) &&
					   random_acquires_by(w, b, j);
}

/* Atomics synchronise from a release store or a release fence before a store,
 * to an acquire load or an acquire fence behind a load (C17 7.17.3, 7.17.4). */
static inline void random_close_atomics(struct world *w, bool is_exact)
{
	for (size_t i = 0; i < w->count; i++)
		for (size_t j = i + 1; j < w->count; j++)
			if (random_may_read(w, i, j, is_exact))
				random_close_pair(w, i, j);
}

/* Does the release at i synchronise with the acquire at j > i? */
static inline bool random_synchronises(const struct world *w, size_t i,
				       size_t j, bool order_only)
{
	const struct event *r = &w->at[i], *a = &w->at[j];

	switch (r->kind) {
	case EVENT_THREAD_CREATE:
		return a->kind == EVENT_THREAD_BEGIN && a->thread == r->arg;
	case EVENT_THREAD_END:
		return a->kind == EVENT_THREAD_JOIN && a->arg == r->thread;
	case EVENT_BARRIER_ENTER:
		return a->kind == EVENT_BARRIER_LEAVE &&
		       w->round[i] == w->round[j];
	default:
		break;
	}
	if (order_only || !random_same_object(w, i, j))
		return false;
	switch (r->kind) {
	case EVENT_MUTEX_UNLOCK:
		return a->kind == EVENT_MUTEX_LOCK;
	case EVENT_SPIN_UNLOCK:
		return a->kind == EVENT_SPIN_LOCK;
	case EVENT_RWLOCK_UNLOCK:
		return a->kind == EVENT_RWLOCK_WRLOCK ||
		       (a->kind == EVENT_RWLOCK_RDLOCK &&
			random_was_writer(w, i));
	case EVENT_COND_SIGNAL:
	case EVENT_COND_BROADCAST:
		return a->kind == EVENT_COND_WAKE && a->arg == 0 &&
		       random_was_waiting(w, i, j);
	case EVENT_SEM_POST:
		return a->kind == EVENT_SEM_WAIT;
	case EVENT_ONCE_DONE:
		return a->kind == EVENT_ONCE_PASS;
	case EVENT_NOTE_RELEASE:
		return a->kind == EVENT_NOTE_ACQUIRE;
	default:
		return false;
	}
}

/* Fills w->before: the transitive closure. */
static inline void random_close(struct world *w, bool order_only, bool is_exact)
{
	memset(w->before, 0, sizeof(w->before));
	for (size_t i = 0; i < w->count; i++)
		for (size_t j = i + 1; j < w->count; j++)
			w->before[i][j] =
				w->at[i].thread == w->at[j].thread ||
				random_synchronises(w, i, j, order_only);
	if (!order_only)
		random_close_atomics(w, is_exact);
	for (size_t k = 0; k < w->count; k++)
		for (size_t i = 0; i < k; i++)
			if (w->before[i][k])
				for (size_t j = k + 1; j < w->count; j++)
					w->before[i][j] |= w->before[k][j];
}

/* ---- races by definition ---- */

static inline bool random_is_access(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_WRITE ||
	       e->kind == EVENT_FREE || event_is_atomic(e->kind);
}

static inline bool random_is_write(const struct event *e)
{
	return e->kind == EVENT_WRITE || e->kind == EVENT_FREE ||
	       random_is_store(e);
}

static inline bool random_touches(const struct event *e, uint64_t byte)
{
	return random_is_access(e) && byte >= e->addr &&
	       byte < e->addr + e->size;
}

/* Do the accesses at i < j race on the byte? */
static inline bool random_races(const struct world *w, size_t i, size_t j,
				uint64_t byte)
{
	const struct event *a = &w->at[i], *b = &w->at[j];

	if (!random_touches(a, byte) || !random_touches(b, byte) ||
	    a->thread == b->thread || w->before[i][j] ||
	    !(random_is_write(a) || random_is_write(b)) ||
	    (event_is_atomic(a->kind) && event_is_atomic(b->kind)))
		return false;
	for (size_t k = i + 1; k < j; k++)
		if (w->at[k].kind == EVENT_ALLOC && byte >= w->at[k].addr &&
		    byte < w->at[k].addr + w->at[k].size)
			return false;
	return true;
}

#endif
