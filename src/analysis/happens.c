/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/happens.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/syncmap.h"
#include "base/vec.h"
#include "format/region.h"

/*
 * Each synchronisation object holds the join of what was released to it, as a
 * clock; an acquire joins that into the thread's. A release first ends the
 * thread's segment and then publishes, so the published component s+1 says
 * "segments up to s", and what the thread does next is not in it.
 *
 * What a thread must still receive when an object is gone hangs on the thread
 * and not on the object: a barrier may be destroyed, and a condition too,
 * before the last leaver has recorded that it left.
 */

/* One round of a barrier; lives as long as somebody has not left it. */
struct round {
	struct vclock clock;
	uint64_t entered, left;
	uint32_t references;
};

struct object {
	struct vclock clock;
	struct vclock read_clock; /* rwlock: of those who read */
	uint32_t holder;	  /* of a mutex, or the writer of a rwlock */
	uint64_t count;		  /* barrier: threads of a round, 0 unknown */
	struct round *round;	  /* barrier: the present one */
	VEC(uint32_t) waiters;	  /* condition */
};

struct hthread {
	struct vclock clock;
	struct vclock start; /* what its creation releases to it */
	struct vclock fence; /* of its last release fence */
	struct vclock seen;  /* by relaxed loads, for an acquire fence */
	struct vclock woken; /* signals since it waits */
	struct round *round; /* of the barrier it is in */
	uint64_t segment;
	bool has_ended, is_detached, is_over;
};

struct happens {
	unsigned int by;
	struct syncmap map;
	VEC(struct object *) objects; /* by number of the map; 0 unused */
	VEC(uint32_t) free_numbers;
	VEC(struct hthread) threads;
};

/* No run has more; a number beyond it (NO_THREAD, say) is nobody. */
enum { THREAD_LIMIT = REGION_THREADS };

static struct hthread *thread_at(struct happens *h, uint32_t n)
{
	if (n >= THREAD_LIMIT)
		n = THREAD_LIMIT;
	while (h->threads.count <= n)
		vec_push(&h->threads, (struct hthread){ 0 });
	return &h->threads.at[n];
}

static void round_drop(struct round *r)
{
	if (!r || --r->references)
		return;
	vclock_done(&r->clock);
	free(r);
}

static void object_free(struct object *o)
{
	if (!o)
		return;
	vclock_done(&o->clock);
	vclock_done(&o->read_clock);
	round_drop(o->round);
	vec_free(&o->waiters);
	free(o);
}

static void object_over(void *self, uint32_t number)
{
	struct happens *h = self;

	object_free(h->objects.at[number]);
	h->objects.at[number] = NULL;
	vec_push(&h->free_numbers, number);
}

struct happens *happens_new(unsigned int by)
{
	struct happens *h = xcalloc(1, sizeof(*h));

	h->by = by;
	syncmap_init(&h->map, object_over, h);
	vec_push(&h->objects, NULL);
	return h;
}

static void thread_drop(struct hthread *t)
{
	vclock_done(&t->clock);
	vclock_done(&t->start);
	vclock_done(&t->fence);
	vclock_done(&t->seen);
	vclock_done(&t->woken);
	round_drop(t->round);
	t->round = NULL;
}

void happens_free(struct happens *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->objects.count; i++)
		object_free(h->objects.at[i]);
	for (size_t i = 0; i < h->threads.count; i++)
		thread_drop(&h->threads.at[i]);
	vec_free(&h->objects);
	vec_free(&h->free_numbers);
	vec_free(&h->threads);
	syncmap_done(&h->map);
	free(h);
}

static struct object *object_find(struct happens *h, const struct event *e)
{
	uint32_t n = syncmap_find(&h->map, e->addr, sync_class_of(e->kind));

	return n ? h->objects.at[n] : NULL;
}

static struct object *object_at(struct happens *h, const struct event *e)
{
	uint32_t *n = syncmap_at(&h->map, e->addr, sync_class_of(e->kind));

	if (*n)
		return h->objects.at[*n];
	if (h->free_numbers.count) {
		*n = h->free_numbers.at[--h->free_numbers.count];
	} else {
		*n = (uint32_t)h->objects.count;
		vec_push(&h->objects, NULL);
	}
	h->objects.at[*n] = xcalloc(1, sizeof(struct object));
	h->objects.at[*n]->holder = NO_THREAD;
	return h->objects.at[*n];
}

/* Which part of happens-before an event belongs to. */
static unsigned int by_of(unsigned int kind)
{
	static const uint8_t by[] = {
		[SYNC_NONE] = 0,
		[SYNC_MUTEX] = HAPPENS_BY_LOCKS,
		[SYNC_RWLOCK] = HAPPENS_BY_LOCKS,
		[SYNC_COND] = HAPPENS_BY_CONDS,
		[SYNC_SEM] = HAPPENS_BY_SEMS,
		[SYNC_BARRIER] = HAPPENS_BY_BARRIERS,
		[SYNC_ONCE] = HAPPENS_BY_ONCE,
		[SYNC_ATOMIC] = HAPPENS_BY_ATOMICS,
		[SYNC_NOTE] = HAPPENS_BY_NOTES,
	};

	if (kind == EVENT_FENCE)
		return HAPPENS_BY_ATOMICS;
	if (kind >= EVENT_THREAD_CREATE && kind <= EVENT_THREAD_DETACH)
		return HAPPENS_BY_THREADS;
	return by[sync_class_of(kind)];
}

static void acquire_from(struct hthread *t, const struct vclock *from)
{
	vclock_join(&t->clock, from);
}

/* ---- threads ---- */

/* A thread that is joined or detached and has ended is never asked again. */
static void thread_let_go(struct hthread *t)
{
	thread_drop(t);
	t->is_over = true;
}

static void join_thread(struct happens *h, struct hthread *t, uint32_t n)
{
	struct hthread *other = &h->threads.at[n];

	if (other == t)
		return;
	/* One whose end is not in the trace did end all the same. */
	if (!other->has_ended)
		vclock_set(&other->clock, n, ++other->segment);
	acquire_from(t, &other->clock);
	thread_let_go(other);
}

static void detach_thread(struct hthread *other)
{
	other->is_detached = true;
	if (other->has_ended)
		thread_let_go(other);
}

static void end_thread(struct hthread *t)
{
	t->has_ended = true;
	if (t->is_detached)
		thread_let_go(t);
}

/* ---- conditions ---- */

static void cond_wait(struct happens *h, const struct event *e)
{
	struct object *o = object_at(h, e);

	vclock_done(&thread_at(h, e->thread)->woken);
	vec_push(&o->waiters, e->thread);
}

static void cond_wake(struct happens *h, struct hthread *t,
		      const struct event *e)
{
	struct object *o = object_find(h, e);

	for (size_t i = 0; o && i < o->waiters.count; i++) {
		if (o->waiters.at[i] != e->thread)
			continue;
		o->waiters.at[i] = o->waiters.at[--o->waiters.count];
		break;
	}
	if (e->arg == 0)
		acquire_from(t, &t->woken);
	vclock_done(&t->woken);
}

static void cond_signal(struct happens *h, const struct vclock *clock,
			const struct event *e)
{
	struct object *o = object_find(h, e);

	for (size_t i = 0; o && i < o->waiters.count; i++)
		vclock_join(&h->threads.at[o->waiters.at[i]].woken, clock);
}

/* ---- barriers ---- */

/* Entering is recorded before and leaving after the real thing, so all who
 * are in a round have entered before the first one leaves. The next to enter
 * belongs to a new round, unless more have entered than the round takes: then
 * nobody knows who of them is in which, until all have left. */
static bool round_is_over(const struct object *o)
{
	const struct round *r = o->round;

	if (r->entered == o->count)
		return r->left > 0;
	return r->left == r->entered;
}

static void barrier_enter(struct happens *h, struct hthread *t,
			  const struct event *e)
{
	struct object *o = object_at(h, e);

	if (!o->round || round_is_over(o)) {
		round_drop(o->round);
		o->round = xcalloc(1, sizeof(*o->round));
		o->round->references = 1;
	}
	o->round->entered++;
	vclock_join(&o->round->clock, &t->clock);
	round_drop(t->round);
	t->round = o->round;
	t->round->references++;
}

static void barrier_leave(struct hthread *t)
{
	if (!t->round)
		return;
	acquire_from(t, &t->round->clock);
	t->round->left++;
	round_drop(t->round);
	t->round = NULL;
}

/* ---- locks ---- */

static void lock_acquire(struct happens *h, struct hthread *t,
			 const struct event *e)
{
	struct object *o = object_at(h, e);

	acquire_from(t, &o->clock);
	if (e->kind == EVENT_RWLOCK_RDLOCK)
		return;
	acquire_from(t, &o->read_clock);
	o->holder = e->thread;
}

/* The holder knows all that the lock knows, so its clock replaces the lock's.
 * Somebody else's unlock (a reader's, or a program's mistake) adds to it. */
static void lock_release(struct happens *h, const struct vclock *clock,
			 const struct event *e)
{
	struct object *o = object_at(h, e);

	if (o->holder == e->thread) {
		vclock_copy(&o->clock, clock);
		vclock_done(&o->read_clock);
		if (e->kind == EVENT_RWLOCK_UNLOCK)
			o->holder = NO_THREAD;
	} else if (e->kind == EVENT_RWLOCK_UNLOCK) {
		vclock_join(&o->read_clock, clock);
	} else {
		vclock_join(&o->clock, clock);
	}
}

/* ---- atomics ---- */

static void load_side(struct happens *h, struct hthread *t,
		      const struct event *e)
{
	struct object *o = object_find(h, e);

	if (!o)
		return;
	if (event_order(e->kind, e->arg) & ORDER_ACQUIRE)
		acquire_from(t, &o->clock);
	else
		vclock_join(&t->seen, &o->clock);
}

static void store_side(struct happens *h, const struct hthread *t,
		       const struct event *e)
{
	bool is_release = event_is_release(e->kind, e->arg);
	const struct vclock *clock = is_release ? &t->clock : &t->fence;
	struct object *o = clock->count ? object_at(h, e) : object_find(h, e);

	if (!o)
		return;
	if (h->by & HAPPENS_EXACT && e->kind == EVENT_ATOMIC_STORE)
		vclock_copy(&o->clock, clock);
	else
		vclock_join(&o->clock, clock);
}

/* ---- the two sides of an event ---- */

/* Makes room for the threads an event is about, so that they do not move
 * while it is handled. False when one of them cannot be. */
static bool meet_threads(struct happens *h, const struct event *e)
{
	bool has_other = e->kind == EVENT_THREAD_CREATE ||
			 e->kind == EVENT_THREAD_JOIN ||
			 e->kind == EVENT_THREAD_DETACH;

	if (e->thread >= THREAD_LIMIT || (has_other && e->arg >= THREAD_LIMIT))
		return false;
	thread_at(h, e->thread);
	if (has_other)
		thread_at(h, (uint32_t)e->arg);
	return true;
}

static void acquire_object(struct happens *h, struct hthread *t,
			   const struct event *e)
{
	struct object *o = object_find(h, e);

	if (o)
		acquire_from(t, &o->clock);
}

void happens_acquire(struct happens *h, const struct event *e)
{
	struct hthread *t;

	if (event_is_plain_access(e->kind))
		return;
	syncmap_feed(&h->map, e);
	if (!(h->by & by_of(e->kind)) || !meet_threads(h, e))
		return;
	t = &h->threads.at[e->thread];
	switch (e->kind) {
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_CAS_FAIL:
	case EVENT_ATOMIC_RMW:
		load_side(h, t, e);
		break;
	case EVENT_FENCE:
		if (event_order(e->kind, e->arg) & ORDER_ACQUIRE)
			acquire_from(t, &t->seen);
		break;
	case EVENT_MUTEX_LOCK:
	case EVENT_SPIN_LOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
		lock_acquire(h, t, e);
		break;
	case EVENT_COND_WAIT:
		cond_wait(h, e);
		break;
	case EVENT_COND_WAKE:
		cond_wake(h, t, e);
		break;
	case EVENT_BARRIER_INIT:
		object_at(h, e)->count = e->arg;
		break;
	case EVENT_BARRIER_LEAVE:
		barrier_leave(t);
		break;
	case EVENT_SEM_WAIT:
	case EVENT_ONCE_PASS:
	case EVENT_NOTE_ACQUIRE:
		acquire_object(h, t, e);
		break;
	case EVENT_THREAD_BEGIN:
		acquire_from(t, &t->start);
		vclock_done(&t->start);
		break;
	case EVENT_THREAD_JOIN:
		join_thread(h, t, (uint32_t)e->arg);
		break;
	case EVENT_THREAD_DETACH:
		detach_thread(&h->threads.at[e->arg]);
		break;
	default:
		break;
	}
}

/* Publishes the clock of the thread, whose segment has just ended. */
static void publish(struct happens *h, struct hthread *t, const struct event *e)
{
	switch (e->kind) {
	case EVENT_FENCE:
		vclock_copy(&t->fence, &t->clock);
		break;
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
		lock_release(h, &t->clock, e);
		break;
	case EVENT_COND_SIGNAL:
	case EVENT_COND_BROADCAST:
		cond_signal(h, &t->clock, e);
		break;
	case EVENT_BARRIER_ENTER:
		barrier_enter(h, t, e);
		break;
	case EVENT_SEM_POST:
	case EVENT_ONCE_DONE:
	case EVENT_NOTE_RELEASE:
		vclock_join(&object_at(h, e)->clock, &t->clock);
		break;
	case EVENT_THREAD_CREATE:
		vclock_copy(&h->threads.at[e->arg].start, &t->clock);
		break;
	case EVENT_THREAD_END:
		end_thread(t);
		break;
	default:
		break;
	}
}

void happens_release(struct happens *h, const struct event *e)
{
	bool is_release;
	struct hthread *t;

	if (event_is_plain_access(e->kind))
		return;
	if (!meet_threads(h, e))
		return;
	t = &h->threads.at[e->thread];
	is_release = event_is_release(e->kind, e->arg);
	if (is_release)
		t->segment++;
	if (!(h->by & by_of(e->kind)))
		return;
	if (is_release)
		vclock_set(&t->clock, e->thread, t->segment);
	if (e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW)
		store_side(h, t, e);
	else if (is_release)
		publish(h, t, e);
}

const struct vclock *happens_clock(struct happens *h, uint32_t thread)
{
	return &thread_at(h, thread)->clock;
}

uint64_t happens_segment(struct happens *h, uint32_t thread)
{
	return thread_at(h, thread)->segment;
}

bool happens_is_over(struct happens *h, uint32_t thread)
{
	return thread_at(h, thread)->is_over;
}
