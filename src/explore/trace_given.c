/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/trace_builder.h"

#include <string.h>

#include "format/event.h"

/* ---- what still matters ---- */

static void drop(struct builder *b, enum causal_kind kind, uint32_t thread,
		 uint32_t object)
{
	for (size_t i = b->given.count; i--;) {
		struct causal_event *e = &b->given.at[i];

		if (e->kind != kind || e->thread != thread ||
		    e->object != object)
			continue;
		memmove(e, e + 1, (b->given.count - i - 1) * sizeof(*e));
		b->given.count--;
		return;
	}
}

static void remember(struct builder *b, const struct causal_event *e)
{
	for (uint32_t i = 0; i < e->parts; i++) {
		const struct causal_part *p =
			&b->m->causal.parts.at[e->part + i];

		b->is_known.at[p->location] = true;
		b->now.at[p->location] = causal_writes(e) ? p->becomes : p->was;
	}
	b->m->causal.parts.count -= e->parts;
}

/* The lock that a thread has taken again after its wait. */
static struct causal_event lock_of(const struct causal_event *wake)
{
	return (struct causal_event){ .kind = CAUSAL_LOCK,
				      .thread = wake->thread,
				      .object = wake->lock,
				      .wakes = CAUSAL_NOBODY };
}

void given_note(struct builder *b, const struct causal_event *e)
{
	switch (e->kind) {
	case CAUSAL_READ:
	case CAUSAL_WRITE:
	case CAUSAL_RMW:
		remember(b, e);
		break;
	case CAUSAL_LOCK:
	case CAUSAL_WAIT:
	case CAUSAL_END:
		vec_push(&b->given, *e);
		b->given.at[b->given.count - 1].tried = false;
		break;
	case CAUSAL_UNLOCK:
		drop(b, CAUSAL_LOCK, e->thread, e->object);
		break;
	case CAUSAL_WAKE:
		drop(b, CAUSAL_WAIT, e->thread, e->object);
		drop(b, CAUSAL_LOCK, e->thread, e->lock);
		vec_push(&b->given, lock_of(e));
		break;
	case CAUSAL_JOIN:
		drop(b, CAUSAL_END, e->object, 0);
		break;
	case CAUSAL_SEM_WAIT:
		b->m->causal.semaphores.at[e->object]--;
		break;
	case CAUSAL_SEM_POST:
		b->m->causal.semaphores.at[e->object]++;
		break;
	default:
		break;
	}
}

void given_settle(struct builder *b)
{
	b->is_given = false;
	b->in_step = false;
	for (size_t i = 0; i < b->now.count; i++)
		b->m->causal.initial.at[i] = b->now.at[i];
	for (size_t i = 0; i < b->entered.count; i++)
		b->entered.at[i] = 0;
	for (size_t i = 0; i < b->given.count; i++)
		builder_event(b, NO_LINE, b->given.at[i]);
	b->m->causal.given = (uint32_t)b->given.count;
}

/* ---- what was before the first line ---- */

static void hold(struct builder *b, uint32_t thread, uint64_t mutex)
{
	uint32_t variable = builder_handed(b, mutex);
	struct causal_event held = { .kind = CAUSAL_LOCK,
				     .thread = thread,
				     .wakes = CAUSAL_NOBODY };

	*keymap_at(&b->held, mutex, thread) = HELD_ALONE;
	if (variable != NO_LINE) {
		b->is_known.at[variable] = true;
		b->now.at[variable] = 1;
		b->m->causal.initial.at[variable] = 1;
		return;
	}
	held.object = builder_lock(b, mutex);
	if (b->is_given) {
		given_note(b, &held);
		return;
	}
	builder_event(b, NO_LINE, held);
	b->m->causal.given++;
}

/* The mutex or spin lock that a line takes or lets go, else 0. */
/* Only the main thread was there. A lock that another thread lets go was
 * handed over: it is a variable, or one that GAP_HANDED tells of. */
void given_begin(struct builder *b)
{
	struct keymap met = { 0 };

	for (uint32_t i = 0; i < b->t->line_count; i++) {
		const struct traced *e = &b->t->lines[i];
		uint64_t mutex = traced_lock(e);
		uint32_t *is_met;

		if (!mutex)
			continue;
		is_met = keymap_at(&met, mutex, 0);
		if (e->flags & TRACED_LEFT && !*is_met &&
		    (!e->thread || builder_handed(b, mutex) != NO_LINE))
			hold(b, e->thread, mutex);
		*is_met = 1;
	}
	keymap_done(&met);
}

/* ---- where windows begin ---- */

struct calm {
	uint64_t *waits; /* by thread: the condition, 0: none */
	bool *is_woken;	 /* by thread: and it has not gone on */
	uint32_t woken, inside;
};

static void wake(struct calm *c, uint32_t thread)
{
	if (!c->waits[thread] || c->is_woken[thread])
		return;
	c->is_woken[thread] = true;
	c->woken++;
}

static void go_on(struct calm *c, uint32_t thread)
{
	c->woken -= c->is_woken[thread];
	c->is_woken[thread] = false;
	c->waits[thread] = 0;
}

static void calm_look(struct calm *c, const struct run_trace *t,
		      const struct traced *e)
{
	switch (e->kind) {
	case EVENT_COND_WAIT:
		if (e->flags & TRACED_LEFT)
			c->waits[e->thread] = e->object;
		break;
	case EVENT_COND_SIGNAL:
		if (e->other != NO_THREAD)
			wake(c, e->other);
		break;
	case EVENT_COND_BROADCAST:
		for (uint32_t n = 0; n < t->thread_count; n++)
			if (c->waits[n] == e->object)
				wake(c, n);
		break;
	case EVENT_MUTEX_LOCK:
		if (e->flags & TRACED_TOOK)
			go_on(c, e->thread);
		break;
	case EVENT_BARRIER_ENTER:
		c->inside += !(e->flags & TRACED_SERIAL);
		break;
	case EVENT_BARRIER_LEAVE:
		c->inside--;
		break;
	default:
		break;
	}
}

/* Half a window on, or as soon as nobody is between two halves of something. */
void trace_model_windows(const struct run_trace *t, uint32_t window,
			 struct trace_windows *out)
{
	struct calm c = {
		.waits = xcalloc(t->thread_count + 1, sizeof(*c.waits)),
		.is_woken = xcalloc(t->thread_count + 1, sizeof(*c.is_woken)),
	};
	uint32_t last = 0;

	vec_push(out, last);
	for (uint32_t i = 0; window && i + window / 2 < t->line_count; i++) {
		if (i >= last + (window + 1) / 2 && !c.woken && !c.inside &&
		    !(t->lines[i].flags & TRACED_BOUND))
			vec_push(out, last = i);
		calm_look(&c, t, &t->lines[i]);
	}
	free(c.waits);
	free(c.is_woken);
}
