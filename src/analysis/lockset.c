/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/lockset.h"

#include <stdlib.h>

#include "analysis/keymap.h"
#include "analysis/syncmap.h"
#include "base/vec.h"
#include "format/region.h"

/*
 * Sets are chains: (outer set, lock, mode, stack) gets one number for ever,
 * so taking a lock is one look into a table and giving back the innermost is
 * none. Only an unlock out of order builds the sets above it anew.
 */

struct holder {
	VEC(struct lock_hold) holds;
};

struct locksets {
	struct locations *where;
	struct syncmap map;
	VEC(struct lock) locks;	   /* [0] unused */
	VEC(struct lock_set) sets; /* [0] the empty one */
	VEC(struct holder) threads;
	struct keymap by_chain;
	struct keymap sections; /* by lock and thread */
};

struct locksets *locksets_new(struct locations *where)
{
	struct locksets *l = xcalloc(1, sizeof(*l));

	l->where = where;
	syncmap_init(&l->map, NULL, NULL);
	vec_push(&l->locks, (struct lock){ 0 });
	vec_push(&l->sets, (struct lock_set){ 0 });
	return l;
}

void locksets_free(struct locksets *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->threads.count; i++)
		vec_free(&l->threads.at[i].holds);
	vec_free(&l->threads);
	vec_free(&l->sets);
	vec_free(&l->locks);
	keymap_done(&l->by_chain);
	keymap_done(&l->sections);
	syncmap_done(&l->map);
	free(l);
}

static struct holder *holder_at(struct locksets *l, uint32_t thread)
{
	if (thread > REGION_THREADS)
		thread = REGION_THREADS;
	while (l->threads.count <= thread)
		vec_push(&l->threads, (struct holder){ 0 });
	return &l->threads.at[thread];
}

static struct location locate(struct locksets *l, uint64_t addr)
{
	if (l->where)
		return location_find(l->where, addr);
	return (struct location){ .kind = LOCATION_UNKNOWN, .offset = addr };
}

static enum lock_kind kind_of(const struct event *e)
{
	if (e->kind >= EVENT_RWLOCK_INIT && e->kind <= EVENT_RWLOCK_FAIL)
		return LOCK_RWLOCK;
	if (e->kind >= EVENT_SPIN_INIT && e->kind <= EVENT_SPIN_UNLOCK)
		return e->arg & LOCK_IS_SEMAPHORE ? LOCK_SEMAPHORE : LOCK_SPIN;
	return LOCK_MUTEX;
}

static uint32_t lock_at(struct locksets *l, const struct event *e)
{
	uint32_t *n = syncmap_at(&l->map, e->addr, sync_class_of(e->kind));

	if (*n)
		return *n;
	*n = (uint32_t)l->locks.count;
	vec_push(&l->locks, (struct lock){ .addr = e->addr,
					   .kind = kind_of(e),
					   .stack = e->stack,
					   .where = locate(l, e->addr) });
	return *n;
}

static uint32_t set_with(struct locksets *l, uint32_t outer,
			 const struct lock_hold *h)
{
	uint32_t *n = keymap_at(&l->by_chain, (uint64_t)outer << 32 | h->lock,
				(uint64_t)h->stack << 1 | h->is_read);

	if (!*n) {
		*n = (uint32_t)l->sets.count;
		vec_push(&l->sets, (struct lock_set){ .outer = outer,
						      .lock = h->lock,
						      .stack = h->stack,
						      .is_read = h->is_read });
	}
	return *n;
}

static uint32_t outermost_set(const struct holder *t, size_t n)
{
	return n ? t->holds.at[n - 1].set : 0;
}

static struct lock_hold *hold_find(struct holder *t, uint32_t lock)
{
	for (size_t i = t->holds.count; i-- > 0;)
		if (t->holds.at[i].lock == lock)
			return &t->holds.at[i];
	return NULL;
}

static uint32_t acquire(struct locksets *l, const struct event *e)
{
	uint32_t lock = lock_at(l, e);
	struct holder *t = holder_at(l, e->thread);
	struct lock_hold *held = hold_find(t, lock);
	struct lock_hold h = {
		.lock = lock,
		.depth = 1,
		.is_read = e->kind == EVENT_RWLOCK_RDLOCK,
		.stack = e->stack,
		.stamp = e->stamp,
	};

	l->locks.at[lock].acquisitions++;
	if (held) {
		held->depth++;
		return 0;
	}
	h.section = ++*keymap_at(&l->sections, lock, e->thread);
	h.set = set_with(l, outermost_set(t, t->holds.count), &h);
	vec_push(&t->holds, h);
	return lock;
}

static void release(struct locksets *l, const struct event *e)
{
	uint32_t lock = syncmap_find(&l->map, e->addr, sync_class_of(e->kind));
	struct holder *t = holder_at(l, e->thread);
	struct lock_hold *held = lock ? hold_find(t, lock) : NULL;
	size_t i;

	if (!held || --held->depth)
		return;
	i = (size_t)(held - t->holds.at);
	for (t->holds.count--; i < t->holds.count; i++) {
		t->holds.at[i] = t->holds.at[i + 1];
		t->holds.at[i].set =
			set_with(l, outermost_set(t, i), &t->holds.at[i]);
	}
}

uint32_t locksets_feed(struct locksets *l, const struct event *e)
{
	switch (e->kind) {
	case EVENT_MUTEX_LOCK:
	case EVENT_SPIN_LOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
		return acquire(l, e);
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
		release(l, e);
		return 0;
	default:
		syncmap_feed(&l->map, e);
		return 0;
	}
}

uint32_t lockset_of(struct locksets *l, uint32_t thread)
{
	struct holder *t;

	if (thread >= l->threads.count)
		return 0;
	t = &l->threads.at[thread];
	return outermost_set(t, t->holds.count);
}

const struct lock_hold *lockset_holds(struct locksets *l, uint32_t thread,
				      size_t *count)
{
	struct holder *t = holder_at(l, thread);

	*count = t->holds.count;
	return t->holds.at;
}

const struct lock_set *lockset_get(const struct locksets *l, uint32_t set)
{
	return &l->sets.at[set];
}

size_t lockset_size(const struct locksets *l, uint32_t set)
{
	size_t n = 0;

	for (; set; set = l->sets.at[set].outer)
		n++;
	return n;
}

const struct lock *lock_get(const struct locksets *l, uint32_t lock)
{
	return &l->locks.at[lock];
}

uint32_t locksets_locks(const struct locksets *l)
{
	return (uint32_t)l->locks.count - 1;
}

struct held_lock lock_tell(const struct locksets *l, uint32_t lock,
			   bool is_read, uint32_t stack)
{
	const struct lock *k = &l->locks.at[lock];

	return (struct held_lock){
		.addr = k->addr,
		.kind = k->kind,
		.is_read = is_read,
		.lock = lock,
		.stack = stack,
		.where = k->where,
	};
}

struct held_lock *lockset_tell(const struct locksets *l, uint32_t set,
			       size_t *count)
{
	size_t n = *count = lockset_size(l, set);
	struct held_lock *told = n ? xcalloc(n, sizeof(*told)) : NULL;

	while (n-- > 0) {
		const struct lock_set *s = &l->sets.at[set];

		told[n] = lock_tell(l, s->lock, s->is_read, s->stack);
		set = s->outer;
	}
	return told;
}
