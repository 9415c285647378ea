/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/trace_builder.h"

#include <string.h>

#include "format/event.h"

/* ---- events ---- */

void builder_event(struct builder *b, uint32_t line, struct causal_event e)
{
	struct causal_trace *t = &b->m->causal;

	/* The line names the place in the thread; counting backwards, as
	 * causal_trace_add does, would take a square of the time. */
	e.position = b->parts.positions[e.thread]++;
	e.bound = b->in_step && b->actors[e.thread].is_inside;
	b->actors[e.thread].is_inside = true;
	vec_push(&t->events, e);
	vec_push(&b->m->lines, line);
	if (line != NO_LINE)
		b->m->event_of[line] = (uint32_t)t->events.count - 1;
}

void builder_add(struct builder *b, uint32_t line, struct causal_event e)
{
	if (b->is_given)
		given_note(b, &e);
	else
		builder_event(b, line, e);
}

/* ---- memory ---- */

uint32_t builder_location(struct builder *b, uint64_t address, uint8_t size)
{
	vec_push(&b->m->causal.initial, 0);
	vec_push(&b->m->address, address);
	vec_push(&b->m->sizes, size);
	vec_push(&b->now, 0);
	vec_push(&b->is_known, false);
	return (uint32_t)b->m->causal.initial.count - 1;
}

static void locations_add(struct builder *b)
{
	for (size_t i = 0; i < b->parts.all.count; i++) {
		struct memory_part *p = &b->parts.all.at[i];

		if (p->is_shared && p->is_written)
			p->location =
				builder_location(b, p->begin, (uint8_t)p->size);
	}
}

static uint64_t word_at(const uint8_t *bytes, size_t offset, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes + offset, size);
	return word;
}

/* Nobody told who wrote this; so it was this thread, right before. */
static void outside_add(struct builder *b, uint32_t line, uint32_t location,
			uint64_t value)
{
	uint32_t part = (uint32_t)b->m->causal.parts.count;

	vec_push(&b->m->causal.parts,
		 (struct causal_part){ .location = location,
				       .becomes = value });
	builder_add(b, NO_LINE,
		    (struct causal_event){ .kind = CAUSAL_WRITE,
					   .thread = b->t->lines[line].thread,
					   .part = part,
					   .parts = 1 });
	b->now.at[location] = value;
	b->m->outside++;
	b->m->gaps |= GAP_OUTSIDE;
}

static void meet_location(struct builder *b, uint32_t line, uint32_t location,
			  uint64_t was)
{
	if (!b->is_known.at[location]) {
		b->is_known.at[location] = true;
		b->m->causal.initial.at[location] = was;
		b->now.at[location] = was;
	} else if (traced_reads(&b->t->lines[line]) &&
		   b->now.at[location] != was) {
		outside_add(b, line, location, was);
	}
}

static enum causal_kind access_kind(const struct traced *e)
{
	bool writes = traced_writes(e) && !(e->flags & TRACED_OPEN);

	/* Whoever passes a once that is done changes nothing. */
	if (e->kind == EVENT_ONCE_PASS && e->was == e->becomes)
		writes = false;
	if (!writes)
		return CAUSAL_READ;
	return traced_reads(e) ? CAUSAL_RMW : CAUSAL_WRITE;
}

static void access_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	const uint8_t *was = run_trace_was(b->t, e);
	const uint8_t *becomes = run_trace_becomes(b->t, e);
	struct causal_event event = { .kind = access_kind(e),
				      .thread = e->thread };
	size_t first = memory_parts_find(&b->parts, e->object);
	size_t end = memory_parts_find(&b->parts, e->object + e->size);

	if (event.kind == CAUSAL_READ && !traced_reads(e))
		return; /* a write that was the thread's last deed */
	for (size_t i = first; i < end; i++) {
		const struct memory_part *p = &b->parts.all.at[i];

		if (p->location != NO_LINE)
			meet_location(b, line, p->location,
				      word_at(was, p->begin - e->object,
					      p->size));
	}
	event.part = (uint32_t)b->m->causal.parts.count;
	for (size_t i = first; i < end; i++) {
		const struct memory_part *p = &b->parts.all.at[i];
		struct causal_part part = { .location = p->location };

		if (p->location == NO_LINE)
			continue;
		part.was = word_at(was, p->begin - e->object, p->size);
		if (event.kind != CAUSAL_READ) {
			part.becomes =
				word_at(becomes, p->begin - e->object, p->size);
			b->now.at[p->location] = part.becomes;
		}
		vec_push(&b->m->causal.parts, part);
		event.parts++;
	}
	if (event.parts)
		builder_add(b, line, event);
}

/* ---- lines ---- */

static void line_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];

	b->in_step = e->flags & TRACED_BOUND;
	if (!b->in_step)
		b->actors[e->thread].is_inside = false;
	if (sync_line_add(b, line))
		return;
	if (e->flags & TRACED_UNREAD)
		b->m->gaps |= GAP_UNREAD;
	else if (traced_is_access(e))
		access_add(b, line);
}

/* Does another event come with it that has no line? Who arrives last at a
 * barrier has left as well; who takes a number creates a thread. */
static bool is_double(const struct trace_model *m, const struct run_trace *t,
		      uint32_t event)
{
	const struct causal_event *e = &m->causal.events.at[event];

	return e->serial ||
	       (e->kind == CAUSAL_RMW &&
		t->lines[m->lines.at[event]].kind == EVENT_THREAD_CREATE);
}

/* How many events are in the beginnings of each history, and how much of each
 * is given? */
static void count_events(struct trace_model *m, const struct run_trace *t)
{
	m->events_in = xcalloc(t->thread_count + 1, sizeof(*m->events_in));
	m->given = xcalloc(t->thread_count + 1, sizeof(*m->given));
	for (uint32_t n = 0; n < t->thread_count; n++) {
		const struct run_thread *h = &t->threads[n];
		uint32_t *count = xcalloc(h->lines.count + 1, sizeof(*count));
		uint32_t sum = 0;

		for (uint32_t i = 0; i < m->causal.given; i++)
			sum += m->causal.events.at[i].thread == n;
		count[0] = sum;
		for (size_t i = 0; i < h->lines.count; i++) {
			uint32_t e = m->event_of[h->lines.at[i]];

			m->given[n] += h->lines.at[i] < m->begin;
			/* Writes from outside stand before their read. */
			if (e != NO_LINE)
				sum = m->causal.events.at[e].position + 1;
			sum += e != NO_LINE && is_double(m, t, e);
			count[i + 1] = sum;
		}
		m->events_in[n] = count;
	}
}

/* Does a step have events? `k` is where it begins in the history. */
static bool step_has_events(const struct trace_model *m,
			    const struct run_trace *t,
			    const struct run_thread *h, size_t k)
{
	size_t begin = k;

	for (; k < h->lines.count; k++) {
		uint32_t line = h->lines.at[k];

		if (k != begin && !(t->lines[line].flags & TRACED_BOUND))
			return false;
		if (m->event_of[line] != NO_LINE)
			return true;
	}
	return false;
}

/* Accesses that are no events can take place whenever their thread has come
 * there. They do at once: another run may have read something else there, and
 * is left behind by that alone. */
static void find_followers(struct trace_model *m, const struct run_trace *t,
			   uint32_t end)
{
	m->follows = xcalloc(t->thread_count + 1, sizeof(*m->follows));
	for (uint32_t n = 0; n < t->thread_count; n++) {
		const struct run_thread *h = &t->threads[n];
		bool is_next = false;

		m->follows[n] =
			xcalloc(h->lines.count + 1, sizeof(**m->follows));
		for (size_t k = 0; k < h->lines.count && h->lines.at[k] < end;
		     k++) {
			uint32_t line = h->lines.at[k];
			const struct traced *e = &t->lines[line];
			bool is_event = m->event_of[line] != NO_LINE;

			if (!is_event && !(e->flags & TRACED_BOUND))
				is_next &= traced_class(e) == TRACED_ACCESS &&
					   !step_has_events(m, t, h, k);
			m->follows[n][k] = !is_event && is_next;
			is_next |= is_event;
		}
	}
}

static void builder_done(struct builder *b)
{
	memory_parts_done(&b->parts);
	keymap_done(&b->names);
	keymap_done(&b->handed);
	keymap_done(&b->held);
	vec_free(&b->entered);
	vec_free(&b->now);
	vec_free(&b->is_known);
	vec_free(&b->given);
	free(b->actors);
}

static uint32_t gaps_of(const struct run_trace *t, uint32_t window)
{
	return (window && t->line_count > window ? GAP_WINDOW : 0) |
	       (t->unmodelled ? GAP_KIND : 0) | (t->is_cut ? GAP_CUT : 0) |
	       (t->is_timed ? GAP_TIME : 0) | (t->is_waiting ? GAP_WAITING : 0);
}

/* What may end a wait counts among the gaps; the rest last. */
static void waits_add(struct builder *b)
{
	for (uint32_t n = 0; n < b->t->thread_count; n++)
		vec_push(&b->m->causal.waits, b->t->threads[n].waits);
}

static void lines_add(struct builder *b, uint32_t begin, uint32_t end)
{
	uint32_t place;

	b->is_given = begin > 0;
	given_begin(b);
	for (uint32_t i = 0; i < end; i++) {
		if (b->is_given && i == begin)
			given_settle(b);
		if (run_trace_place(b->t, i, &place))
			line_add(b, i);
	}
}

struct trace_model *trace_model_new(const struct run_trace *t, uint32_t begin,
				    uint32_t window)
{
	struct trace_model *m = xcalloc(1, sizeof(*m));
	struct builder b = { .t = t, .m = m };
	uint32_t end = window && window < t->line_count - begin ?
			       begin + window :
			       t->line_count;

	while (end < t->line_count && t->lines[end].flags & TRACED_BOUND)
		end++;
	m->begin = begin;
	m->gaps = gaps_of(t, window);
	m->causal.threads = t->thread_count;
	m->event_of = xmalloc((t->line_count + 1) * sizeof(*m->event_of));
	memset(m->event_of, 0xff, (t->line_count + 1) * sizeof(*m->event_of));
	b.actors = xcalloc(t->thread_count + 1, sizeof(*b.actors));
	memory_parts_init(&b.parts, t);
	sync_find_handed(&b);
	sync_find_creators(&b);
	sync_find_remade(&b);
	locations_add(&b);
	lines_add(&b, begin, end);
	if (end == t->line_count)
		waits_add(&b);
	count_events(m, t);
	find_followers(m, t, end);
	sync_find_crowds(m);
	builder_done(&b);
	return m;
}

void trace_model_free(struct trace_model *m, const struct run_trace *t)
{
	if (!m)
		return;
	causal_trace_done(&m->causal);
	vec_free(&m->lines);
	vec_free(&m->address);
	vec_free(&m->sizes);
	free(m->event_of);
	free(m->given);
	for (uint32_t n = 0; n < t->thread_count; n++) {
		free(m->events_in[n]);
		free(m->follows[n]);
	}
	free(m->events_in);
	free(m->follows);
	free(m);
}
