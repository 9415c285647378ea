/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three maps: heap blocks, mappings, stacks of threads. One address may be in
 * several of them, rightly (a thread was given a heap block for its stack) or
 * because a release was not seen; then what came last is what it is. What was
 * given back stays in its map, marked, until something new takes its place:
 * that needs no more room than the heap itself once did.
 */
#include "trace/location.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "trace/location_map.h"
#include "trace/site_span.h"

struct locations {
	const struct trace *trace;
	struct extent_map heap, mapped, stacks;
	struct spans modules;
	uint64_t since; /* additions so far */
	uint32_t thread_count;
	struct thread_use {
		uint64_t mappings; /* it made so far */
		bool is_seen;
	} * threads;
};

struct locations *locations_new(const struct trace *t)
{
	struct locations *l = xcalloc(1, sizeof(*l));

	l->trace = t;
	l->thread_count = trace_threads(t);
	l->threads = xcalloc(l->thread_count + 1, sizeof(*l->threads));
	for (uint32_t n = 0; n < trace_modules(t); n++) {
		const struct region_module *m = trace_module(t, n);

		spans_add(&l->modules, (struct span){ .low = m->base,
						      .high = m->base + m->size,
						      .item = n });
	}
	spans_sort(&l->modules);
	return l;
}

void locations_free(struct locations *l)
{
	if (!l)
		return;
	extent_map_done(&l->heap);
	extent_map_done(&l->mapped);
	extent_map_done(&l->stacks);
	spans_done(&l->modules);
	free(l->threads);
	free(l);
}

/* Blocks and stacks are taken out whole where a new one is put: if one of them
 * was still thought to be there, its end was not seen. */
static void extents_replace(struct extent_map *map, struct extent e)
{
	struct extent *old;

	while ((old = extent_next(map, e.low)) && old->low < e.high)
		extent_remove(map, old);
	extent_add(map, e);
}

/* Makes an extent begin or end at addr if one lies across it. */
static void extent_cut(struct extent_map *map, uint64_t addr)
{
	struct extent *e = extent_find(map, addr), right;

	if (!e || e->low == addr)
		return;
	right = *e;
	right.low = addr;
	e->high = addr;
	extent_add(map, right);
}

/* Mappings are replaced and given back in parts. */
static void mapping_clear(struct extent_map *map, uint64_t low, uint64_t high)
{
	struct extent *e;

	extent_cut(map, low);
	extent_cut(map, high);
	while ((e = extent_next(map, low)) && e->low < high) {
		low = e->high;
		e->is_gone = true;
	}
}

static struct extent extent_of(struct locations *l, const struct event *e,
			       uint64_t generation)
{
	uint64_t size = e->size ? e->size : 1;

	if (size > UINT64_MAX - e->addr)
		size = UINT64_MAX - e->addr;
	return (struct extent){ .low = e->addr,
				.high = e->addr + size,
				.object = e->addr,
				.size = e->size,
				.generation = generation,
				.since = ++l->since,
				.owner = e->thread,
				.stack = e->stack };
}

static void alloc_feed(struct locations *l, const struct event *e)
{
	struct extent block = extent_of(l, e, alloc_before(e->arg));

	if (block.low < block.high)
		extents_replace(&l->heap, block);
}

static void free_feed(struct locations *l, const struct event *e)
{
	struct extent *block = extent_find(&l->heap, e->addr);

	if (block && block->low == e->addr)
		block->is_gone = true;
}

static void map_feed(struct locations *l, const struct event *e)
{
	uint64_t generation = l->threads[e->thread].mappings++;
	struct extent mapping = extent_of(l, e, generation);

	if (mapping.low >= mapping.high)
		return;
	extent_cut(&l->mapped, mapping.low);
	extent_cut(&l->mapped, mapping.high);
	extents_replace(&l->mapped, mapping);
}

static void unmap_feed(struct locations *l, const struct event *e)
{
	if (e->size <= UINT64_MAX - e->addr)
		mapping_clear(&l->mapped, e->addr, e->addr + e->size);
}

/* A thread's stack is known from its first event on. */
static void thread_feed(struct locations *l, uint32_t n)
{
	const struct region_thread *t = trace_thread(l->trace, n);

	l->threads[n].is_seen = true;
	if (t->stack_low < t->stack_high)
		extents_replace(
			&l->stacks,
			(struct extent){ .low = t->stack_low,
					 .high = t->stack_high,
					 .object = t->stack_low,
					 .size = t->stack_high - t->stack_low,
					 .since = ++l->since,
					 .owner = n,
					 .stack = t->stack });
}

static void thread_end_feed(struct locations *l, uint32_t n)
{
	struct extent *e =
		extent_find(&l->stacks, trace_thread(l->trace, n)->stack_low);

	if (e && e->owner == n)
		e->is_gone = true;
}

void locations_feed(struct locations *l, const struct event *e)
{
	if (e->thread >= l->thread_count)
		return;
	if (!l->threads[e->thread].is_seen)
		thread_feed(l, e->thread);
	switch (e->kind) {
	case EVENT_ALLOC:
		alloc_feed(l, e);
		break;
	case EVENT_FREE:
		free_feed(l, e);
		break;
	case EVENT_MAP:
		map_feed(l, e);
		break;
	case EVENT_UNMAP:
		unmap_feed(l, e);
		break;
	case EVENT_THREAD_END:
		thread_end_feed(l, e->thread);
		break;
	default:
		break;
	}
}

/* What is there wins over what is gone, then the newer over the older. */
static bool extent_beats(const struct extent *a, const struct extent *b)
{
	if (!a || !b)
		return a != NULL;
	if (a->is_gone != b->is_gone)
		return !a->is_gone;
	return a->since > b->since;
}

static const struct extent *extent_at(const struct locations *l, uint64_t addr,
				      enum location_kind *kind)
{
	const struct extent *heap = extent_find(&l->heap, addr);
	const struct extent *mapped = extent_find(&l->mapped, addr);
	const struct extent *found = extent_find(&l->stacks, addr);

	*kind = LOCATION_STACK;
	if (extent_beats(mapped, found)) {
		*kind = LOCATION_MAPPED;
		found = mapped;
	}
	if (extent_beats(heap, found)) {
		*kind = LOCATION_HEAP;
		found = heap;
	}
	return found;
}

struct location location_find(struct locations *l, uint64_t addr)
{
	enum location_kind kind;
	const struct extent *e = extent_at(l, addr, &kind);
	bool is_module = (!e || e->is_gone) && spans_find(&l->modules, addr);

	if (is_module || !e)
		return (struct location){ .kind = is_module ? LOCATION_GLOBAL :
							      LOCATION_UNKNOWN,
					  .offset = addr,
					  .stack = NO_STACK };
	return (struct location){ .kind = kind,
				  .owner = e->owner,
				  .generation = e->generation,
				  .offset = kind == LOCATION_STACK ?
						    e->high - addr :
						    addr - e->object,
				  .size = e->size,
				  .stack = e->stack,
				  .is_gone = e->is_gone };
}
