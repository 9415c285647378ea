/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that are made or destroyed while other threads may use them. The
 * causal model takes every lock for one that was always there; that is right
 * only where the lives of the threads alone keep all other uses before, or
 * after.
 */
#include "explore/trace_builder.h"

#include "format/event.h"

/* Which threads have begun, or ended, because of a line. */
struct reach {
	bool *threads;
	bool *ended; /* going back: are to end */
};

/* One line after the first. */
static void go_on(struct reach *r, const struct traced *e)
{
	if (e->kind == EVENT_THREAD_JOIN && r->ended[e->object])
		r->threads[e->thread] = true;
	if (!r->threads[e->thread])
		return;
	if (e->kind == EVENT_THREAD_CREATE && e->object)
		r->threads[e->object] = true;
	if (e->kind == EVENT_THREAD_END)
		r->ended[e->thread] = true;
}

/* One line before it. */
static void go_back(struct reach *r, const struct traced *e)
{
	if (e->kind == EVENT_THREAD_CREATE && e->object &&
	    r->threads[e->object])
		r->threads[e->thread] = true;
	if (e->kind == EVENT_THREAD_END && r->ended[e->thread])
		r->threads[e->thread] = true;
	if (e->kind == EVENT_THREAD_JOIN && r->threads[e->thread])
		r->ended[e->object] = true;
}

static bool is_near(const struct reach *r, const struct traced *e,
		    const struct traced *other)
{
	return !r->threads[other->thread] && traced_conflicts(e, other);
}

static void forget(struct reach *r, uint32_t count, uint32_t thread)
{
	for (uint32_t n = 0; n < count; n++)
		r->threads[n] = r->ended[n] = false;
	r->threads[thread] = true;
}

/* Is there a use that could come on the other side of this line? */
static bool is_used_beside(const struct run_trace *t, uint32_t line,
			   struct reach *r)
{
	const struct traced *e = &t->lines[line];

	forget(r, t->thread_count, e->thread);
	for (uint32_t i = line + 1; i < t->line_count; i++) {
		go_on(r, &t->lines[i]);
		if (is_near(r, e, &t->lines[i]))
			return true;
	}
	forget(r, t->thread_count, e->thread);
	for (uint32_t i = line; i-- > 0;) {
		go_back(r, &t->lines[i]);
		if (is_near(r, e, &t->lines[i]))
			return true;
	}
	return false;
}

void sync_find_remade(struct builder *b)
{
	const struct run_trace *t = b->t;
	struct reach r = {
		.threads = xcalloc(t->thread_count + 1, sizeof(*r.threads)),
		.ended = xcalloc(t->thread_count + 1, sizeof(*r.ended)),
	};

	for (uint32_t i = 0; i < t->line_count; i++)
		if (event_remakes(t->lines[i].kind) &&
		    is_used_beside(t, i, &r)) {
			b->m->gaps |= GAP_REMADE;
			break;
		}
	free(r.threads);
	free(r.ended);
}
