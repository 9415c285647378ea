/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/wakeup.h"

#include <stdlib.h>

#include "base/vec.h"
#include "base/xalloc.h"

/* More than these are not kept: each is compared with each. */
enum { MOST = 256 };

struct waiting {
	uint64_t cond, mutex;
	struct location where;
	uint32_t thread;
	struct wakeup_place locked, at;
};

struct signalling {
	uint64_t cond;
	uint32_t thread, locks; /* a lock set */
	struct wakeup_place prior, at;
};

struct wakeups {
	struct wakeup_inputs in;
	VEC(struct waiting) waits;
	VEC(struct signalling) signals;
	VEC(struct wakeup_place) last; /* by thread: where it took a lock */
};

struct wakeups *wakeups_new(const struct wakeup_inputs *inputs)
{
	struct wakeups *w = xcalloc(1, sizeof(*w));

	w->in = *inputs;
	return w;
}

void wakeups_free(struct wakeups *w)
{
	if (!w)
		return;
	vec_free(&w->waits);
	vec_free(&w->signals);
	vec_free(&w->last);
	free(w);
}

bool wakeup_is_at(const struct wakeup_place *a, const struct wakeup_place *b)
{
	return a->site == b->site && a->calls == b->calls;
}

static struct wakeup_place *last_of(struct wakeups *w, uint32_t thread)
{
	while (w->last.count <= thread)
		vec_push(&w->last, (struct wakeup_place){ 0 });
	return &w->last.at[thread];
}

static struct wakeup_place place_of(const struct wakeups *w, uint32_t stack)
{
	return w->in.place_of(w->in.self, stack);
}

static void wait_add(struct wakeups *w, const struct event *e)
{
	struct waiting one = { .cond = e->addr,
			       .mutex = e->arg,
			       .thread = e->thread,
			       .locked = *last_of(w, e->thread),
			       .at = place_of(w, e->stack) };

	for (size_t i = 0; i < w->waits.count; i++) {
		const struct waiting *known = &w->waits.at[i];

		if (known->cond == one.cond && known->mutex == one.mutex &&
		    known->thread == one.thread &&
		    wakeup_is_at(&known->locked, &one.locked) &&
		    wakeup_is_at(&known->at, &one.at))
			return;
	}
	if (!one.locked.site || w->waits.count >= MOST)
		return;
	if (w->in.where)
		one.where = location_find(w->in.where, e->addr);
	vec_push(&w->waits, one);
}

static void signal_add(struct wakeups *w, const struct event *e)
{
	struct signalling one = { .cond = e->addr,
				  .thread = e->thread,
				  .locks = lockset_of(w->in.locks, e->thread),
				  .prior = *last_of(w, e->thread),
				  .at = place_of(w, e->stack) };

	for (size_t i = 0; i < w->signals.count; i++) {
		const struct signalling *known = &w->signals.at[i];

		if (known->cond == one.cond && known->thread == one.thread &&
		    known->locks == one.locks &&
		    wakeup_is_at(&known->prior, &one.prior) &&
		    wakeup_is_at(&known->at, &one.at))
			return;
	}
	if (w->signals.count < MOST)
		vec_push(&w->signals, one);
}

void wakeups_feed(struct wakeups *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_COND_WAIT:
		wait_add(w, e);
		break;
	case EVENT_COND_SIGNAL:
	case EVENT_COND_BROADCAST:
		signal_add(w, e);
		break;
	case EVENT_MUTEX_LOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
	case EVENT_SPIN_LOCK:
		*last_of(w, e->thread) = place_of(w, e->stack);
		break;
	default:
		break;
	}
}

/* ---- pairs ---- */

static bool holds(const struct wakeups *w, uint32_t set, uint64_t mutex)
{
	while (set) {
		const struct lock_set *s = lockset_get(w->in.locks, set);

		if (lock_get(w->in.locks, s->lock)->addr == mutex)
			return true;
		set = s->outer;
	}
	return false;
}

static bool can_be_lost(const struct wakeups *w, const struct waiting *wait,
			const struct signalling *signal)
{
	return wait->cond == signal->cond && wait->thread != signal->thread &&
	       !holds(w, signal->locks, wait->mutex);
}

bool wakeup_is_known(const struct wakeup_finding *all, size_t count,
		     const struct wakeup_finding *f)
{
	for (size_t i = 0; i < count; i++)
		if (wakeup_is_at(&all[i].locked, &f->locked) &&
		    wakeup_is_at(&all[i].wait, &f->wait) &&
		    wakeup_is_at(&all[i].prior, &f->prior) &&
		    wakeup_is_at(&all[i].signal, &f->signal))
			return true;
	return false;
}

struct wakeup_finding *wakeups_find(struct wakeups *w, size_t *count)
{
	VEC(struct wakeup_finding) found = { 0 };

	for (size_t k = 0; k < w->signals.count; k++)
		for (size_t i = 0; i < w->waits.count; i++) {
			const struct waiting *a = &w->waits.at[i];
			const struct signalling *b = &w->signals.at[k];
			const struct wakeup_finding f = {
				.cond = a->cond,
				.where = a->where,
				.locked = a->locked,
				.wait = a->at,
				.prior = b->prior,
				.signal = b->at,
				.thread = b->thread,
			};

			if (can_be_lost(w, a, b) &&
			    !wakeup_is_known(found.at, found.count, &f))
				vec_push(&found, f);
		}
	*count = found.count;
	return found.at;
}
