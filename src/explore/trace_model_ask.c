/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about a run, and their answers as orders of threads.
 */
#include "explore/trace_model.h"

#include <string.h>

#include "format/event.h"

/* ---- targets ---- */

static const struct traced *line_of(const struct trace_model *m,
				    const struct run_trace *t,
				    const struct causal_target *target)
{
	return &t->lines[m->lines.at[target->event]];
}

/* The bytes that the access would find. */
static void bytes_of(const struct trace_model *m, const struct run_trace *t,
		     const struct causal_target *target, uint8_t *bytes)
{
	const struct traced *e = line_of(m, t, target);
	const struct causal_event *event = &m->causal.events.at[target->event];

	if (e->kind == EVENT_THREAD_CREATE) {
		memcpy(bytes, target->values, sizeof(uint32_t));
		return;
	}
	if (!traced_is_access(e)) {
		*bytes = target->values[0] != 0;
		return;
	}
	memcpy(bytes, run_trace_was(t, e), e->size);
	for (uint32_t i = 0; i < event->parts; i++) {
		uint32_t l = m->causal.parts.at[event->part + i].location;

		memcpy(bytes + (m->address.at[l] - e->object),
		       &target->values[i], m->sizes.at[l]);
	}
}

bool trace_model_may_get(const struct trace_model *m, const struct run_trace *t,
			 const struct causal_target *target)
{
	/* Of pthread_once, and of the guard of a static variable. */
	enum { ONCE_BUSY = 1, GUARD_BUSY = 1, GUARD_SIZE = 8 };
	const struct traced *e = line_of(m, t, target);
	uint8_t bytes[TRACED_WIDEST];

	if (e->kind == EVENT_MUTEX_LOCK || e->kind == EVENT_SPIN_LOCK)
		return false;
	if (e->kind != EVENT_ONCE_PASS)
		return true;
	bytes_of(m, t, target, bytes);
	return e->size == GUARD_SIZE ? !bytes[GUARD_BUSY] :
				       !(bytes[0] & ONCE_BUSY);
}

bool trace_model_is_null(const struct trace_model *m, const struct run_trace *t,
			 const struct causal_target *target)
{
	const struct traced *e = line_of(m, t, target);
	uint8_t bytes[TRACED_WIDEST];
	uint64_t value;

	if (!traced_is_access(e) || e->size != sizeof(value) || !e->was)
		return false;
	bytes_of(m, t, target, bytes);
	memcpy(&value, bytes, sizeof(value));
	return !value;
}

uint64_t trace_model_read(const struct trace_model *m,
			  const struct run_trace *t,
			  const struct causal_target *target)
{
	uint8_t bytes[TRACED_WIDEST];

	bytes_of(m, t, target, bytes);
	return run_trace_read(t, m->lines.at[target->event], bytes);
}

/* ---- orders ---- */

/* A thread that has nothing left to do ends at once. */
static void add_end(const struct run_trace *t, uint32_t thread, uint32_t *next,
		    struct thread_order *out)
{
	const struct run_thread *h = &t->threads[thread];

	if (*next >= h->lines.count ||
	    t->lines[h->lines.at[*next]].kind != EVENT_THREAD_END)
		return;
	vec_push(out, (struct traced_order){ thread, NO_THREAD });
	++*next;
}

/* What is before the window, as it was. */
static void add_given(const struct trace_model *m, const struct run_trace *t,
		      uint32_t *next, struct thread_order *out)
{
	uint32_t place;

	out->count = 0;
	for (uint32_t i = 0; i < m->begin; i++) {
		const struct traced *e = &t->lines[i];

		if (!run_trace_place(t, i, &place))
			continue;
		vec_push(out, (struct traced_order){
				      e->thread, e->kind == EVENT_COND_SIGNAL ?
							 e->other :
							 NO_THREAD });
		next[e->thread]++;
	}
}

struct ordering {
	const struct trace_model *m;
	const struct run_trace *t;
	uint32_t *next; /* by thread: lines of its history so far */
	struct thread_order *out;
};

/* What is no event happens right before the next one. False: the event has no
 * line of its own that is left. */
static bool add_fillers(struct ordering *o, uint32_t event)
{
	uint32_t line = o->m->lines.at[event], place, thread;

	if (line == NO_LINE)
		return false;
	thread = o->t->lines[line].thread;
	run_trace_place(o->t, line, &place);
	if (place < o->next[thread])
		return false;
	for (; o->next[thread] < place; o->next[thread]++)
		vec_push(o->out, (struct traced_order){ thread, NO_THREAD });
	return true;
}

static void add_followers(struct ordering *o, uint32_t thread)
{
	const struct run_thread *h = &o->t->threads[thread];

	while (o->next[thread] < h->lines.count &&
	       o->m->follows[thread][o->next[thread]]) {
		vec_push(o->out, (struct traced_order){ thread, NO_THREAD });
		o->next[thread]++;
	}
}

void trace_model_order(const struct trace_model *m, const struct run_trace *t,
		       const struct causal_schedule *s, size_t open,
		       struct thread_order *out)
{
	uint32_t turned = CAUSAL_NOBODY;
	struct ordering o = { m, t, NULL, out };

	o.next = xcalloc(t->thread_count + 1, sizeof(*o.next));
	add_given(m, t, o.next, out);
	if (s->count)
		turned = causal_turned(&m->causal, s->at[s->count - 1].event);
	for (size_t i = 0; i < s->count; i++) {
		uint32_t event = s->at[i].event;
		uint32_t thread = m->causal.events.at[event].thread;
		/* What comes after another result is not known. */
		bool is_other = i + 1 == s->count || event == turned;

		for (size_t k = i; i + open == s->count && k < s->count; k++)
			add_fillers(&o, s->at[k].event);
		if (!add_fillers(&o, event))
			continue;
		vec_push(out, (struct traced_order){ thread, s->at[i].wakes });
		o.next[thread]++;
		if (is_other)
			continue;
		add_followers(&o, thread);
		add_end(t, thread, &o.next[thread], out);
	}
	free(o.next);
}
