/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/race.h"

#include <stdlib.h>

#include "analysis/granules.h"
#include "analysis/history.h"
#include "analysis/keymap.h"
#include "base/vec.h"
#include "format/region.h"

struct races {
	struct race_inputs in;
	struct history *history;
	struct granules benign; /* a mask of bytes for each granule */
	VEC(uint32_t) ignoring; /* by thread: depth of NOTE_IGNORE */
	struct keymap by_sites; /* pair of sites: index + 1 */
	VEC(struct race_finding) found;
	VEC(uint64_t) last_event; /* by finding: when it was last counted */
	uint64_t event;
	VEC(struct event) last_range; /* by thread: its last large write */
	bool is_again; /* a free, whose write was looked at already */
};

static void race_found(void *self, const struct access *first,
		       const struct access *second, uint64_t addr,
		       unsigned int size);

struct races *races_new(const struct race_inputs *inputs)
{
	struct races *r = xcalloc(1, sizeof(*r));

	r->in = *inputs;
	r->history = history_new(inputs->order, race_found, r);
	granules_init(&r->benign);
	return r;
}

void race_done(struct race_finding *f)
{
	free(f->first.locks);
	free(f->second.locks);
}

void races_free(struct races *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->found.count; i++)
		race_done(&r->found.at[i]);
	vec_free(&r->found);
	vec_free(&r->last_event);
	vec_free(&r->ignoring);
	vec_free(&r->last_range);
	keymap_done(&r->by_sites);
	granules_done(&r->benign);
	history_free(r->history);
	free(r);
}

struct race_finding *races_take(struct races *r, size_t *count)
{
	struct race_finding *found;

	for (uint32_t t = 0; t < REGION_THREADS; t++)
		history_settle(r->history, t);
	found = r->found.at;
	*count = r->found.count;
	r->found.at = NULL;
	vec_free(&r->found);
	vec_free(&r->last_event);
	keymap_done(&r->by_sites);
	return found;
}

/* ---- benign bytes ---- */

static void benign_mark(struct races *r, uint64_t addr, uint64_t size)
{
	uint64_t end =
		granules_end(addr, size < HISTORY_RANGE ? size : HISTORY_RANGE);

	for (; addr < end; addr++)
		*granule_at(&r->benign, addr) |= 1u << addr % GRANULE_BYTES;
}

static bool is_benign(struct races *r, uint64_t addr, unsigned int size)
{
	uint32_t *slot = granule_peek(&r->benign, addr);
	uint32_t bytes = ((1u << size) - 1) << addr % GRANULE_BYTES;

	return slot && (*slot & bytes) == bytes;
}

/* ---- findings ---- */

static struct race_access side(const struct races *r, const struct access *a)
{
	struct race_access s = {
		.thread = epoch_thread(a->at),
		.kind = a->kind,
		.is_write = access_is_write(a->kind),
		.is_atomic = event_is_atomic(a->kind),
		.is_earlier = a->is_earlier,
		.stack = a->stack,
		.addr = a->addr,
		.size = a->size,
		.stamp = a->stamp,
	};

	if (r->in.locks && !a->is_earlier)
		s.locks = lockset_tell(r->in.locks, a->lockset, &s.lock_count);
	return s;
}

static struct location locate(struct races *r, uint64_t addr)
{
	if (r->in.where)
		return location_find(r->in.where, addr);
	return (struct location){ .kind = LOCATION_UNKNOWN, .offset = addr };
}

static uint32_t site_of(const struct races *r, uint32_t stack)
{
	return r->in.site_of ? r->in.site_of(r->in.self, stack) : stack;
}

static uint32_t *find_pair(struct races *r, uint32_t a, uint32_t b)
{
	a = site_of(r, a);
	b = site_of(r, b);
	return keymap_at(&r->by_sites, a < b ? a : b, a < b ? b : a);
}

/* What was told as a write is the freeing of a block. */
static void tell_free(struct race_finding *f, const struct access *a)
{
	if (f->second.stack == a->stack && f->second.kind == EVENT_WRITE)
		f->second.kind = EVENT_FREE;
}

static void race_found(void *self, const struct access *first,
		       const struct access *second, uint64_t addr,
		       unsigned int size)
{
	struct races *r = self;
	uint32_t *n;

	if (is_benign(r, addr, size))
		return;
	n = find_pair(r, first->stack, second->stack);
	if (r->is_again && *n) {
		tell_free(&r->found.at[*n - 1], second);
		return;
	}
	if (!*n) {
		vec_push(&r->found,
			 (struct race_finding){ .first = side(r, first),
						.second = side(r, second),
						.addr = addr,
						.size = size,
						.where = locate(r, addr) });
		vec_push(&r->last_event, 0);
		*n = (uint32_t)r->found.count;
	}
	/* A range that races in many granules is one occurrence. */
	if (r->last_event.at[*n - 1] != r->event) {
		r->last_event.at[*n - 1] = r->event;
		r->found.at[*n - 1].count++;
	}
}

/* ---- events ---- */

static uint32_t *ignoring(struct races *r, uint32_t thread)
{
	if (thread > REGION_THREADS)
		thread = REGION_THREADS;
	while (r->ignoring.count <= thread)
		vec_push(&r->ignoring, 0);
	return &r->ignoring.at[thread];
}

static bool is_ignoring(const struct races *r, uint32_t thread)
{
	return thread < r->ignoring.count && r->ignoring.at[thread];
}

static struct access access_now(struct races *r, const struct event *e)
{
	return (struct access){
		.at = epoch_make(e->thread,
				 happens_segment(r->in.order, e->thread)),
		.stamp = e->stamp,
		.addr = e->addr,
		.size = e->size,
		.stack = e->stack,
		.lockset = r->in.locks ? lockset_of(r->in.locks, e->thread) : 0,
		.kind = e->kind,
	};
}

/* A short write is never that of a free, so it need not be remembered. */
enum { RANGE = 16 };

static void note_range(struct races *r, const struct event *e)
{
	if (e->size <= RANGE || e->thread >= REGION_THREADS)
		return;
	while (r->last_range.count <= e->thread)
		vec_push(&r->last_range, (struct event){ 0 });
	r->last_range.at[e->thread] = *e;
}

/* Before it frees a block the guest writes to all of it, so to speak, to have
 * its filter tell who used it. */
static bool was_written(const struct races *r, const struct event *e)
{
	const struct event *w;

	if (e->thread >= r->last_range.count)
		return false;
	w = &r->last_range.at[e->thread];
	return w->kind == EVENT_WRITE && w->addr == e->addr &&
	       w->size == e->size && w->stack == e->stack;
}

static void feed_access(struct races *r, const struct event *e)
{
	struct access a;

	if (is_ignoring(r, e->thread))
		return;
	note_range(r, e);
	a = access_now(r, e);
	history_access(r->history, &a);
}

static void feed_earlier(struct races *r, const struct event *e)
{
	struct access a = {
		.at = e->arg,
		.addr = e->addr,
		.size = e->size,
		.stack = e->stack,
		.kind = e->kind == EVENT_EARLIER_WRITE ? EVENT_WRITE :
							 EVENT_READ,
		.is_earlier = true,
	};

	history_earlier(r->history, &a);
}

static void feed_free(struct races *r, const struct event *e)
{
	struct access a = access_now(r, e);

	if (is_ignoring(r, e->thread)) {
		history_forget(r->history, e->addr, e->size);
		return;
	}
	r->is_again = was_written(r, e);
	history_end(r->history, &a);
	r->is_again = false;
}

static void feed_ignore(struct races *r, const struct event *e)
{
	uint32_t *depth = ignoring(r, e->thread);

	if (e->arg)
		++*depth;
	else if (*depth)
		--*depth;
}

static void benign_clear(void *self, uint64_t addr, uint32_t *slot)
{
	const struct event *e = self;
	uint64_t end = granules_end(e->addr, e->size);

	for (unsigned int i = 0; i < GRANULE_BYTES; i++)
		if (addr + i >= e->addr && addr + i < end)
			*slot &= ~(1u << i);
}

/* Memory begins or ends: what was said of it is no longer meant. */
static void end_benign(struct races *r, const struct event *e)
{
	struct event range = *e;

	granules_walk(&r->benign, e->addr, e->size, benign_clear, &range);
}

void races_feed(struct races *r, const struct event *e)
{
	r->event++;
	switch (e->kind) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_VPTR_READ:
	case EVENT_VPTR_WRITE:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_STORE:
	case EVENT_ATOMIC_RMW:
	case EVENT_ATOMIC_CAS_FAIL:
		feed_access(r, e);
		break;
	case EVENT_EARLIER_READ:
	case EVENT_EARLIER_WRITE:
		feed_earlier(r, e);
		break;
	case EVENT_FREE:
		feed_free(r, e);
		end_benign(r, e);
		break;
	case EVENT_ALLOC:
		races_forget(r, e->addr, alloc_extent(e));
		end_benign(r, e);
		break;
	case EVENT_MAP:
	case EVENT_UNMAP:
		races_forget(r, e->addr, e->size);
		end_benign(r, e);
		break;
	case EVENT_NOTE_BENIGN:
		benign_mark(r, e->addr, e->size);
		break;
	case EVENT_NOTE_IGNORE:
		feed_ignore(r, e);
		break;
	default:
		break;
	}
	if (event_is_release(e->kind, e->arg))
		history_settle(r->history, e->thread);
}

void races_expect(struct races *r, const struct event *e, unsigned int step)
{
	if (event_is_plain_access(e->kind) || event_is_atomic(e->kind))
		history_expect(r->history, e->addr, step);
}

void races_forget(struct races *r, uint64_t addr, uint64_t size)
{
	history_forget(r->history, addr, size);
}
