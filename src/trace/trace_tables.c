/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a trace. Entries that no whole chunk told are there as unknown
 * ones, so that a number below the count can always be asked for.
 */
#include "trace/trace_inner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void tables_want_thread(struct trace *t, uint32_t n)
{
	const struct region_thread unknown = { .parent = NO_THREAD };

	while (t->threads.count <= n)
		vec_push(&t->threads, unknown);
}

static void take_threads(struct trace *t, uint32_t n, struct layout_view *v)
{
	struct region_thread *thread;

	tables_want_thread(t, n);
	thread = &t->threads.at[n];
	thread->parent = layout_take32(v);
	thread->nth = layout_take32(v);
	thread->kernel_tid = layout_take32(v);
	thread->stack = layout_take32(v);
	thread->stack_low = layout_take64(v);
	thread->stack_high = layout_take64(v);
	thread->start = layout_take64(v);
	/* A tree, whatever the file says: parents come before children. */
	if (thread->parent >= n)
		thread->parent = NO_THREAD;
	if (thread->stack >= REGION_STACKS)
		thread->stack = NO_STACK;
}

static void take_thread_end(struct trace *t, uint32_t n, struct layout_view *v)
{
	uint32_t thread = layout_take32(v);
	uint32_t deepest = layout_take32(v);
	uint64_t stamp = layout_take64(v);

	(void)n;
	if (thread >= t->threads.count)
		return;
	atomic_init(&t->threads.at[thread].end_stamp, stamp);
	t->threads.at[thread].deepest = deepest < REGION_STACKS ? deepest :
								  NO_STACK;
}

static void take_module(struct trace *t, uint32_t n, struct layout_view *v)
{
	const struct region_module unknown = { 0 };
	struct region_module *m;
	uint32_t id, path;
	const uint8_t *bytes;

	while (t->modules.count <= n)
		vec_push(&t->modules, unknown);
	m = &t->modules.at[n];
	m->base = layout_take64(v);
	m->bias = layout_take64(v);
	m->size = layout_take32(v);
	m->site = layout_take32(v);
	m->instrumented = layout_take32(v) != 0;
	id = layout_take32(v);
	path = layout_take32(v);
	bytes = layout_take(v, (size_t)id + path);
	if (!bytes || id > sizeof(m->build_id) || path >= sizeof(m->path)) {
		*m = unknown;
		v->is_short = true;
		return;
	}
	m->build_id_size = (uint8_t)id;
	memcpy(m->build_id, bytes, id);
	memcpy(m->path, bytes + id, path);
	m->path[path] = '\0';
}

static void take_stack(struct trace *t, uint32_t n, struct layout_view *v)
{
	const struct region_stack unknown = { 0 };
	struct region_stack *s;

	while (t->stacks.count <= n)
		vec_push(&t->stacks, unknown);
	s = &t->stacks.at[n];
	s->parent = layout_take32(v);
	s->site = layout_take32(v);
	/* The guest makes a node after its parent; so every chain ends. */
	if (s->parent >= n)
		s->parent = 0;
}

static void take_note(struct trace *t, uint32_t n, struct layout_view *v)
{
	uint32_t size = layout_take32(v);
	const uint8_t *bytes = layout_take(v, size);

	while (t->notes.count <= n)
		vec_push(&t->notes, xstrdup(""));
	if (!bytes)
		return;
	free(t->notes.at[n]);
	t->notes.at[n] = xasprintf("%.*s", (int)size, (const char *)bytes);
}

static const struct table {
	void (*take)(struct trace *t, uint32_t n, struct layout_view *v);
	uint32_t limit;
} tables[] = {
	[CHUNK_THREADS] = { take_threads, REGION_THREADS },
	[CHUNK_THREAD_ENDS] = { take_thread_end, REGION_THREADS },
	[CHUNK_MODULES] = { take_module, REGION_MODULES },
	[CHUNK_STACKS] = { take_stack, REGION_STACKS },
	[CHUNK_NOTES] = { take_note, REGION_NOTES },
};

void tables_take(struct trace *t, const struct chunk *c, const uint8_t *raw)
{
	struct layout_view v = { raw, raw + c->raw_size, false };
	const struct table *table = &tables[c->type];
	uint64_t end = (uint64_t)c->thread + c->count;
	char name[64];

	for (uint64_t n = c->thread; n < end && !v.is_short; n++) {
		if (n >= table->limit || v.p == v.end)
			v.is_short = true;
		else
			table->take(t, (uint32_t)n, &v);
	}
	if (v.is_short)
		trace_miss(t,
			   "%s does not hold the %" PRIu32 " entries it claims",
			   chunk_name(c, name), c->count);
}

void tables_free(struct trace *t)
{
	vec_free(&t->threads);
	vec_free(&t->modules);
	vec_free(&t->stacks);
	for (size_t i = 0; i < t->notes.count; i++)
		free(t->notes.at[i]);
	vec_free(&t->notes);
}
