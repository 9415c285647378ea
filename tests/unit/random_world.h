/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RANDOM_WORLD_H
#define HEDDLE_RANDOM_WORLD_H

/*
 * Small random runs.
 *
 * A world is simulated: threads that lock, wait, post, create and access, each
 * step only where a real program could take it. Its events are a trace in the
 * order of operations. random_truth.h says what is true of it.
 *
 * The same seed gives the same world; tests name the seed when they fail.
 */

#include "format/event.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
	RANDOM_EVENTS = 160,
	RANDOM_THREADS = 4,
	RANDOM_LOCKS = 4, /* the last one is a spin lock */
	RANDOM_RWLOCKS = 2,
};

/* What may occur in a world. */
enum random_what {
	WITH_LOCKS = 1,
	WITH_CONDS = 2, /* needs locks */
	WITH_SEMS = 4,
	WITH_BARRIERS = 8,
	WITH_ONCE = 16,
	WITH_ATOMICS = 32,
	WITH_NOTES = 64,
	WITH_HEAP = 128,
	WITH_FULL_BARRIER = 256, /* more threads than a round takes */
	WITH_MORE_LOCKS = 512,	 /* and less of all else */
	WITH_EVERYTHING = 255,
};

struct random_thread {
	bool exists, is_begun, is_ended, is_joined;
	unsigned int depth[RANDOM_LOCKS];
	int rwlock[RANDOM_RWLOCKS]; /* 0 not held, 1 read, 2 written */
	int waits_with; /* mutex + 1 while it waits on the condition */
	bool is_signalled;
	size_t entered;	   /* index + 1 of entering, until it takes place */
	int barrier_round; /* + 1 while it is in */
	bool may_leave;
};

struct world {
	uint64_t random, stamp;
	unsigned int what;
	unsigned int threads;
	struct event at[RANDOM_EVENTS + 8];
	int round[RANDOM_EVENTS + 8]; /* of barrier events */
	size_t count;
	struct random_thread thread[RANDOM_THREADS];
	int lock_owner[RANDOM_LOCKS]; /* thread + 1 */
	int writer[RANDOM_RWLOCKS], readers[RANDOM_RWLOCKS];
	int semaphore, rounds, inside;
	bool is_once_done, is_freed;
	uint64_t allocations;
	bool before[RANDOM_EVENTS + 8][RANDOM_EVENTS + 8];
};

#define RANDOM_DATA UINT64_C(0x1000)	      /* 32 bytes that all use */
#define RANDOM_BLOCK UINT64_C(0x2000)	      /* a heap block of 24 bytes: */
#define RANDOM_BLOCK_LOCK (RANDOM_BLOCK + 16) /* with a mutex in it */
#define RANDOM_ATOMIC UINT64_C(0x1008) /* two of 4 bytes, among the data */

static inline uint64_t random_draw(struct world *w, uint64_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (w->random >> 11) % n;
}

static inline uint64_t random_lock_addr(unsigned int lock)
{
	return lock == 0 ? RANDOM_BLOCK_LOCK : 0x3000 + lock * 40;
}

static inline bool random_is_spin(unsigned int lock)
{
	return lock == RANDOM_LOCKS - 1;
}

static inline void random_put(struct world *w, unsigned int kind,
			      uint32_t thread, uint64_t addr, uint64_t size,
			      uint64_t arg)
{
	struct event e = {
		.kind = (uint8_t)kind,
		.thread = thread,
		.addr = addr,
		.size = size,
		.arg = arg,
		.stack = 1 + (uint32_t)w->count, /* each event its own */
	};

	if (event_fields(kind) & FIELD_STAMP)
		w->stamp++;
	e.stamp = w->stamp;
	w->at[w->count++] = e;
}

/* ---- actions: each does nothing where it is not possible ---- */

static inline void random_access(struct world *w, uint32_t t)
{
	static const uint64_t sizes[] = { 1, 2, 4, 8, 8, 16, 3, 11 };
	uint64_t base = RANDOM_DATA, length = 32;
	uint64_t size = sizes[random_draw(w, 8)];

	if (w->what & WITH_HEAP && random_draw(w, 2)) {
		if (w->is_freed)
			return;
		base = RANDOM_BLOCK;
		length = 16;
	}
	random_put(w, random_draw(w, 5) < 3 ? EVENT_READ : EVENT_WRITE, t,
		   base + random_draw(w, length - size + 1), size, 0);
}

static inline void random_lock(struct world *w, uint32_t t, unsigned int lock)
{
	bool mine = w->lock_owner[lock] == (int)t + 1;

	if (w->lock_owner[lock] && (!mine || random_is_spin(lock)))
		return;
	if (lock == 0 && w->is_freed)
		return;
	w->lock_owner[lock] = (int)t + 1;
	w->thread[t].depth[lock]++;
	random_put(w, random_is_spin(lock) ? EVENT_SPIN_LOCK : EVENT_MUTEX_LOCK,
		   t, random_lock_addr(lock), 0, 0);
}

static inline void random_unlock(struct world *w, uint32_t t, unsigned int lock)
{
	if (!w->thread[t].depth[lock])
		return;
	if (--w->thread[t].depth[lock] == 0)
		w->lock_owner[lock] = 0;
	random_put(w,
		   random_is_spin(lock) ? EVENT_SPIN_UNLOCK :
					  EVENT_MUTEX_UNLOCK,
		   t, random_lock_addr(lock), 0, 0);
}

static inline void random_destroy(struct world *w, uint32_t t,
				  unsigned int lock)
{
	if (!w->lock_owner[lock] && !random_is_spin(lock) &&
	    (lock || !w->is_freed))
		random_put(w, EVENT_MUTEX_DESTROY, t, random_lock_addr(lock), 0,
			   0);
}

static inline void random_rwlock(struct world *w, uint32_t t, unsigned int n,
				 bool is_write)
{
	int *held = &w->thread[t].rwlock[n];

	if (*held || w->writer[n] || (is_write && w->readers[n]))
		return;
	*held = is_write ? 2 : 1;
	w->writer[n] += is_write;
	w->readers[n] += !is_write;
	random_put(w, is_write ? EVENT_RWLOCK_WRLOCK : EVENT_RWLOCK_RDLOCK, t,
		   0x4000 + n * 56, 0, 0);
}

static inline void random_rwunlock(struct world *w, uint32_t t, unsigned int n)
{
	int *held = &w->thread[t].rwlock[n];

	if (!*held)
		return;
	w->writer[n] -= *held == 2;
	w->readers[n] -= *held == 1;
	*held = 0;
	random_put(w, EVENT_RWLOCK_UNLOCK, t, 0x4000 + n * 56, 0, 0);
}

static inline void random_wait(struct world *w, uint32_t t)
{
	unsigned int lock = 1 + (unsigned int)random_draw(w, 2);

	if (w->thread[t].depth[lock] != 1)
		return;
	random_put(w, EVENT_COND_WAIT, t, 0x5000, 0, random_lock_addr(lock));
	random_unlock(w, t, lock);
	w->thread[t].waits_with = (int)lock + 1;
	w->thread[t].is_signalled = false;
}

static inline void random_wake(struct world *w, uint32_t t)
{
	unsigned int lock = (unsigned int)w->thread[t].waits_with - 1;
	bool is_signalled = w->thread[t].is_signalled;

	if (w->lock_owner[lock] || (!is_signalled && random_draw(w, 3)))
		return;
	w->thread[t].waits_with = 0;
	random_put(w, EVENT_COND_WAKE, t, 0x5000, 0,
		   is_signalled || random_draw(w, 2) ? 0 : ETIMEDOUT);
	random_lock(w, t, lock);
}

static inline void random_signal(struct world *w, uint32_t t)
{
	for (unsigned int i = 0; i < w->threads; i++)
		w->thread[i].is_signalled |= w->thread[i].waits_with != 0;
	random_put(w,
		   random_draw(w, 2) ? EVENT_COND_SIGNAL : EVENT_COND_BROADCAST,
		   t, 0x5000, 0, 0);
}

static inline void random_semaphore(struct world *w, uint32_t t)
{
	if (random_draw(w, 2)) {
		w->semaphore++;
		random_put(w, EVENT_SEM_POST, t, 0x6000, 0, 0);
	} else if (w->semaphore) {
		w->semaphore--;
		random_put(w, EVENT_SEM_WAIT, t, 0x6000, 0, 0);
	}
}

/* A barrier for two. Unless WITH_FULL_BARRIER, threads 0 and 1 alone use it. */
static inline void random_enter(struct world *w, uint32_t t)
{
	if (t > 1 && !(w->what & WITH_FULL_BARRIER))
		return;
	w->thread[t].entered = w->count + 1;
	random_put(w, EVENT_BARRIER_ENTER, t, 0x7000, 0, 0);
}

/* Entering is recorded first and takes place later: in another order than the
 * events, if there are more threads than two. */
static inline void random_arrive(struct world *w, uint32_t t)
{
	w->round[w->thread[t].entered - 1] = w->rounds;
	w->thread[t].entered = 0;
	w->thread[t].barrier_round = w->rounds + 1;
	if (++w->inside < 2)
		return;
	for (unsigned int i = 0; i < w->threads; i++)
		if (w->thread[i].barrier_round == w->rounds + 1)
			w->thread[i].may_leave = true;
	w->inside = 0;
	w->rounds++;
}

static inline void random_leave(struct world *w, uint32_t t)
{
	if (!w->thread[t].may_leave)
		return;
	w->round[w->count] = w->thread[t].barrier_round - 1;
	w->thread[t].may_leave = false;
	w->thread[t].barrier_round = 0;
	random_put(w, EVENT_BARRIER_LEAVE, t, 0x7000, 0, 0);
}

static inline void random_once(struct world *w, uint32_t t)
{
	random_put(w, w->is_once_done ? EVENT_ONCE_PASS : EVENT_ONCE_DONE, t,
		   0x8000, 0, 0);
	w->is_once_done = true;
}

static inline void random_atomic(struct world *w, uint32_t t)
{
	static const uint64_t loads[] = { 0, 0, 2, 5 };
	static const uint64_t stores[] = { 0, 0, 3, 5 };
	static const uint64_t any[] = { 0, 2, 3, 4, 5, 0 };
	uint64_t addr = RANDOM_ATOMIC + 4 * random_draw(w, 2);

	switch (random_draw(w, 6)) {
	case 0:
	case 1:
		random_put(w, EVENT_ATOMIC_LOAD, t, addr, 4,
			   loads[random_draw(w, 4)]);
		break;
	case 2:
	case 3:
		random_put(w, EVENT_ATOMIC_STORE, t, addr, 4,
			   stores[random_draw(w, 4)]);
		break;
	case 4:
		random_put(w,
			   random_draw(w, 4) ? EVENT_ATOMIC_RMW :
					       EVENT_ATOMIC_CAS_FAIL,
			   t, addr, 4, any[random_draw(w, 6)]);
		break;
	default:
		random_put(w, EVENT_FENCE, t, 0, 0, 2 + random_draw(w, 4));
		break;
	}
}

static inline void random_note(struct world *w, uint32_t t)
{
	random_put(w,
		   random_draw(w, 2) ? EVENT_NOTE_RELEASE : EVENT_NOTE_ACQUIRE,
		   t, 0x9000, 0, 0);
}

static inline void random_heap(struct world *w, uint32_t t)
{
	if (w->is_freed)
		random_put(w, EVENT_ALLOC, t, RANDOM_BLOCK, 24,
			   w->allocations++);
	else if (w->lock_owner[0])
		return;
	else
		random_put(w, EVENT_FREE, t, RANDOM_BLOCK, 24, 0);
	w->is_freed = !w->is_freed;
}

static inline bool random_holds_nothing(const struct random_thread *t)
{
	for (unsigned int i = 0; i < RANDOM_LOCKS; i++)
		if (t->depth[i])
			return false;
	return !t->rwlock[0] && !t->rwlock[1] && !t->waits_with &&
	       !t->barrier_round && !t->entered;
}

static inline void random_life(struct world *w, uint32_t t)
{
	uint32_t other = (uint32_t)random_draw(w, w->threads);
	struct random_thread *o = &w->thread[other];

	if (!o->exists) {
		o->exists = true;
		random_put(w, EVENT_THREAD_CREATE, t, 0, 0, other);
	} else if (o->is_ended && !o->is_joined) {
		o->is_joined = true;
		random_put(w, EVENT_THREAD_JOIN, t, 0, 0, other);
	} else if (t && random_holds_nothing(&w->thread[t]) &&
		   random_draw(w, 4) == 0 && t != 1) {
		w->thread[t].is_ended = true;
		random_put(w, EVENT_THREAD_END, t, 0, 0, 0);
	}
}

static inline void random_act(struct world *w, uint32_t t)
{
	unsigned int lock = (unsigned int)random_draw(w, RANDOM_LOCKS);
	unsigned int rwlock = (unsigned int)random_draw(w, RANDOM_RWLOCKS);

	if (!(w->what & WITH_HEAP) && lock == 0)
		lock = 1;
	switch (w->what & WITH_MORE_LOCKS && random_draw(w, 4) ?
			2 + random_draw(w, 8) :
			random_draw(w, 24)) {
	case 0:
	case 1:
		random_life(w, t);
		break;
	case 2:
	case 3:
	case 4:
		if (w->what & WITH_LOCKS)
			random_lock(w, t, lock);
		break;
	case 5:
	case 6:
	case 7:
		random_unlock(w, t, lock);
		break;
	case 8:
		if (w->what & WITH_LOCKS)
			random_rwlock(w, t, rwlock, random_draw(w, 2));
		break;
	case 9:
		random_rwunlock(w, t, rwlock);
		break;
	case 10:
		if (w->what & WITH_LOCKS && random_draw(w, 3) == 0)
			random_destroy(w, t, lock);
		break;
	case 11:
		if (w->what & WITH_CONDS)
			random_wait(w, t);
		break;
	case 12:
		if (w->what & WITH_CONDS)
			random_signal(w, t);
		break;
	case 13:
		if (w->what & WITH_SEMS)
			random_semaphore(w, t);
		break;
	case 14:
		if (w->what & WITH_BARRIERS && random_draw(w, 2))
			random_enter(w, t);
		break;
	case 15:
		if (w->what & WITH_ONCE && random_draw(w, 3) == 0)
			random_once(w, t);
		break;
	case 16:
	case 17:
		if (w->what & WITH_ATOMICS)
			random_atomic(w, t);
		break;
	case 18:
		if (w->what & WITH_NOTES)
			random_note(w, t);
		break;
	case 19:
		if (w->what & WITH_HEAP)
			random_heap(w, t);
		break;
	default:
		random_access(w, t);
		break;
	}
}

static inline void random_step(struct world *w)
{
	uint32_t n = (uint32_t)random_draw(w, w->threads);
	struct random_thread *t = &w->thread[n];

	if (!t->exists || t->is_ended)
		return;
	if (!t->is_begun) {
		t->is_begun = true;
		random_put(w, EVENT_THREAD_BEGIN, n, 0, 0, 0);
	} else if (t->waits_with) {
		random_wake(w, n);
	} else if (t->entered) {
		random_arrive(w, n);
	} else if (t->barrier_round) {
		random_leave(w, n);
	} else {
		random_act(w, n);
	}
}

static inline void random_world(struct world *w, uint64_t seed,
				unsigned int what)
{
	memset(w, 0, sizeof(*w));
	w->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	w->what = what;
	for (int i = 0; i < 8; i++)
		random_draw(w, 2);
	w->threads = 2 + (unsigned int)random_draw(w, RANDOM_THREADS - 1);
	w->thread[0].exists = true;
	if (what & WITH_BARRIERS)
		random_put(w, EVENT_BARRIER_INIT, 0, 0x7000, 0, 2);
	if (what & WITH_SEMS)
		random_put(w, EVENT_SEM_INIT, 0, 0x6000, 0, 0);
	if (what & WITH_HEAP)
		random_put(w, EVENT_ALLOC, 0, RANDOM_BLOCK, 24,
			   w->allocations++);
	for (int i = 0; i < 40 * RANDOM_EVENTS && w->count < RANDOM_EVENTS; i++)
		random_step(w);
}

#endif
