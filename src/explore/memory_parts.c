/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/memory_parts.h"

#include "format/event.h"

enum { PART_MOST = 8 };

static int by_begin(const void *a, const void *b)
{
	const struct memory_part *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool is_told(const struct traced *e)
{
	return traced_is_access(e) && !(e->flags & TRACED_UNREAD);
}

/* Each once: runs touch the same memory over and over. */
static void add_border(struct memory_parts *p, struct keymap *seen, uint64_t at)
{
	uint32_t *is_seen = keymap_at(seen, at, 0);

	if (*is_seen)
		return;
	*is_seen = 1;
	vec_push(&p->all,
		 (struct memory_part){ .begin = at, .location = UINT32_MAX });
}

static void add_borders(struct memory_parts *p, struct keymap *seen,
			const struct traced *e)
{
	for (uint64_t at = 0; at < e->size; at += PART_MOST)
		add_border(p, seen, e->object + at);
	add_border(p, seen, e->object + e->size);
}

static void touch(struct memory_parts *p, const struct traced *e)
{
	size_t end = memory_parts_find(p, e->object + e->size);

	for (size_t i = memory_parts_find(p, e->object); i < end; i++) {
		struct memory_part *part = &p->all.at[i];

		if (!part->size)
			part->thread = e->thread;
		part->is_shared |= part->thread != e->thread;
		part->is_written |= traced_writes(e);
		part->size = (uint32_t)(part[1].begin - part->begin);
	}
}

size_t memory_parts_find(const struct memory_parts *p, uint64_t address)
{
	size_t low = 0, high = p->all.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->all.at[middle].begin < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void memory_parts_init(struct memory_parts *p, const struct run_trace *t)
{
	struct keymap seen = { 0 };

	for (uint32_t i = 0; i < t->line_count; i++)
		if (is_told(&t->lines[i]))
			add_borders(p, &seen, &t->lines[i]);
	keymap_done(&seen);
	if (p->all.count)
		qsort(p->all.at, p->all.count, sizeof(*p->all.at), by_begin);
	for (uint32_t i = 0; i < t->line_count; i++)
		if (is_told(&t->lines[i]))
			touch(p, &t->lines[i]);
	p->positions = xcalloc(t->thread_count + 1, sizeof(*p->positions));
}

void memory_parts_done(struct memory_parts *p)
{
	vec_free(&p->all);
	free(p->positions);
}
