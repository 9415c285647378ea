/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary.h"

#include <stdlib.h>

#include "analysis/granules.h"
#include "analysis/history.h"
#include "analysis/keymap.h"
#include "base/vec.h"
#include "format/region.h"

/* What a granule remembers: its first thread, plus one, and: */
enum {
	GRANULE_THREAD = 0xffffff,
	GRANULE_WRITTEN = 1 << 28,
	GRANULE_MANY = 1 << 29,
	GRANULE_SHARED = GRANULE_WRITTEN | GRANULE_MANY,
};

struct summary {
	struct summary_inputs in;
	struct run_summary sum;
	struct granules granules;
	struct keymap objects;
	uint64_t known_low, known_high; /* the last of them, while it lives */
	VEC(bool) threads;
	VEC(bool) stacks;
};

struct summary *summary_new(const struct summary_inputs *inputs)
{
	struct summary *s = xcalloc(1, sizeof(*s));

	s->in = *inputs;
	granules_init(&s->granules);
	return s;
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	granules_done(&s->granules);
	keymap_done(&s->objects);
	vec_free(&s->threads);
	vec_free(&s->stacks);
	free(s);
}

static void see_thread(struct summary *s, uint32_t n)
{
	if (n >= REGION_THREADS)
		return;
	while (s->threads.count <= n)
		vec_push(&s->threads, false);
	s->sum.threads += !s->threads.at[n];
	s->threads.at[n] = true;
}

static void see_stack(struct summary *s, uint32_t n)
{
	if (n == NO_STACK || n >= REGION_STACKS)
		return;
	while (s->stacks.count <= n)
		vec_push(&s->stacks, false);
	s->sum.stacks += !s->stacks.at[n];
	s->stacks.at[n] = true;
}

static void count_shared(struct summary *s, uint64_t granule)
{
	struct location l = { .kind = LOCATION_UNKNOWN };
	uint32_t *known;

	s->sum.shared_granules++;
	if (granule >= s->known_low && granule < s->known_high)
		return;
	if (s->in.where)
		l = location_find(s->in.where, granule);
	if (l.kind != LOCATION_HEAP && l.kind != LOCATION_MAPPED) {
		s->sum.shared_objects++;
		return;
	}
	known = keymap_at(&s->objects, (uint64_t)l.kind << 32 | l.owner,
			  l.generation);
	s->sum.shared_objects += !*known;
	*known = 1;
	if (l.is_gone)
		return;
	s->known_low = granule - l.offset;
	s->known_high = s->known_low + l.size;
}

static void touch(struct summary *s, uint64_t granule, uint32_t thread,
		  bool is_write)
{
	uint32_t *slot = granule_at(&s->granules, granule);
	uint32_t old = *slot;
	uint32_t now = old ? old : (thread + 1) & GRANULE_THREAD;

	if ((now & GRANULE_THREAD) != ((thread + 1) & GRANULE_THREAD))
		now |= GRANULE_MANY;
	if (is_write)
		now |= GRANULE_WRITTEN;
	if (now == old)
		return;
	*slot = now;
	if ((now & GRANULE_SHARED) == GRANULE_SHARED)
		count_shared(s, granule);
}

static void see_access(struct summary *s, const struct event *e)
{
	bool is_earlier = e->kind == EVENT_EARLIER_READ ||
			  e->kind == EVENT_EARLIER_WRITE;
	uint32_t thread = is_earlier ? earlier_thread(e->arg) : e->thread;
	uint64_t size = e->size < HISTORY_RANGE ? e->size : HISTORY_RANGE;
	uint64_t end = granules_end(e->addr, size);
	uint64_t granule = e->addr & ~(uint64_t)(GRANULE_BYTES - 1);
	bool is_write = access_is_write(e->kind);

	if (event_is_atomic(e->kind))
		s->sum.atomics++;
	else if (!is_earlier)
		s->sum.accesses++;
	see_stack(s, e->stack);
	for (; granule < end; granule += GRANULE_BYTES)
		touch(s, granule, thread, is_write);
}

static void forget_granule(void *self, uint64_t addr, uint32_t *slot)
{
	(void)self;
	(void)addr;
	*slot = 0;
}

void summary_forget(struct summary *s, uint64_t addr, uint64_t size)
{
	s->known_high = 0;
	granules_walk(&s->granules, addr, size, forget_granule, s);
	granules_drop(&s->granules, addr, size);
}

void summary_expect(struct summary *s, const struct event *e)
{
	const uint32_t *slot;

	if (!event_is_plain_access(e->kind))
		return;
	slot = granule_peek(&s->granules, e->addr);
	if (slot)
		__builtin_prefetch(slot, 1);
}

void summary_feed(struct summary *s, const struct event *e)
{
	struct run_summary *sum = &s->sum;

	if (!sum->events++)
		sum->first_stamp = e->stamp;
	if (e->stamp > sum->last_stamp)
		sum->last_stamp = e->stamp;
	sum->by_kind[e->kind]++;
	see_thread(s, e->thread);
	if (event_is_plain_access(e->kind) || event_is_atomic(e->kind))
		see_access(s, e);
	switch (e->kind) {
	case EVENT_ALLOC:
		sum->allocations++;
		sum->allocated_bytes += e->size;
		summary_forget(s, e->addr, alloc_extent(e));
		break;
	case EVENT_FREE:
	case EVENT_MAP:
	case EVENT_UNMAP:
		summary_forget(s, e->addr, e->size);
		break;
	default:
		break;
	}
}

static uint64_t count_sites(const struct summary *s)
{
	struct keymap sites = { 0 };
	uint64_t count = 0;

	for (uint32_t n = 0; n < s->stacks.count; n++) {
		uint32_t *known;

		if (!s->stacks.at[n])
			continue;
		known = keymap_at(
			&sites,
			s->in.site_of ? s->in.site_of(s->in.self, n) : n, 0);
		count += !*known;
		*known = 1;
	}
	keymap_done(&sites);
	return count;
}

struct run_summary summary_tell(struct summary *s)
{
	struct run_summary sum = s->sum;

	sum.sites = count_sites(s);
	if (!s->in.locks)
		return sum;
	sum.locks = locksets_locks(s->in.locks);
	for (uint32_t n = 1; n <= sum.locks; n++)
		sum.acquisitions += lock_get(s->in.locks, n)->acquisitions;
	return sum;
}
