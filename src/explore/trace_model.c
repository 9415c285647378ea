/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/trace_builder.h"

#include <string.h>

#include "format/event.h"

enum object_kind { LOCK = 1, CONDITION, SEMAPHORE, BARRIER };

/* ---- numbers ---- */

static uint32_t object_number(struct builder *b, uint32_t kind, uint64_t object,
			      uint32_t *count, bool *is_new)
{
	uint32_t *n = keymap_at(&b->names, object, kind);

	*is_new = !*n;
	if (!*n)
		*n = ++*count;
	return *n - 1;
}

static uint32_t lock_number(struct builder *b, uint64_t object)
{
	bool is_new;

	return object_number(b, LOCK, object, &b->m->causal.locks, &is_new);
}

static uint32_t condition_number(struct builder *b, uint64_t object)
{
	bool is_new;

	return object_number(b, CONDITION, object, &b->m->causal.conditions,
			     &is_new);
}

/* Its first count is what the first event found. */
static uint32_t semaphore_number(struct builder *b, const struct traced *e)
{
	uint32_t count = (uint32_t)b->m->causal.semaphores.count;
	bool is_new;
	uint32_t n = object_number(b, SEMAPHORE, e->object, &count, &is_new);

	if (is_new)
		vec_push(&b->m->causal.semaphores, (uint32_t)e->was);
	return n;
}

static uint32_t barrier_number(struct builder *b, const struct traced *e)
{
	uint32_t count = (uint32_t)b->m->causal.barriers.count;
	bool is_new;
	/* One that was made anew for another number of threads is another. */
	uint32_t n = object_number(b, BARRIER | (uint32_t)e->was << 8,
				   e->object, &count, &is_new);

	if (is_new) {
		vec_push(&b->m->causal.barriers, e->was ? (uint32_t)e->was : 1);
		vec_push(&b->entered, 0);
	}
	return n;
}

/* The variable that stands for a lock which is tried, or NO_LINE. */
static uint32_t tried_location(struct builder *b, uint64_t object)
{
	uint32_t n = *keymap_at(&b->tried, object, 0);

	return n ? n - 1 : NO_LINE;
}

/* ---- events ---- */

void builder_event(struct builder *b, uint32_t line, struct causal_event e)
{
	struct causal_trace *t = &b->m->causal;

	/* The line names the place in the thread; counting backwards, as
	 * causal_trace_add does, would take a square of the time. */
	e.position = b->parts.positions[e.thread]++;
	vec_push(&t->events, e);
	vec_push(&b->m->lines, line);
	if (line != NO_LINE)
		b->m->event_of[line] = (uint32_t)t->events.count - 1;
}

static void event_add(struct builder *b, uint32_t line, struct causal_event e)
{
	if (b->is_given)
		given_note(b, &e);
	else
		builder_event(b, line, e);
}

static void sync_add(struct builder *b, uint32_t line, enum causal_kind kind,
		     uint32_t object)
{
	event_add(b, line,
		  (struct causal_event){ .kind = kind,
					 .thread = b->t->lines[line].thread,
					 .object = object,
					 .wakes = CAUSAL_NOBODY });
}

/* ---- memory ---- */

static uint32_t location_add(struct builder *b, uint64_t address, uint8_t size)
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
				location_add(b, p->begin, (uint8_t)p->size);
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
	event_add(b, NO_LINE,
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
		event_add(b, line, event);
}

/* ---- locks ---- */

/* As a variable: 0 is free. */
static void tried_add(struct builder *b, uint32_t line, uint32_t location,
		      enum causal_kind kind, uint64_t was, uint64_t becomes)
{
	uint32_t part = (uint32_t)b->m->causal.parts.count;

	b->is_known.at[location] = true;
	vec_push(&b->m->causal.parts,
		 (struct causal_part){ location, was, becomes });
	event_add(b, line,
		  (struct causal_event){ .kind = kind,
					 .thread = b->t->lines[line].thread,
					 .part = part,
					 .parts = 1 });
}

static void wake_add(struct builder *b, uint32_t line, struct actor *a)
{
	event_add(b, line,
		  (struct causal_event){
			  .kind = CAUSAL_WAKE,
			  .thread = b->t->lines[line].thread,
			  .object = condition_number(b, a->condition),
			  .lock = lock_number(b, a->mutex),
			  .wakes = CAUSAL_NOBODY,
			  .timed_out = a->timed_out });
	*a = (struct actor){ .barrier = a->barrier, .round = a->round };
}

static void lock_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	struct actor *a = &b->actors[e->thread];
	uint32_t location = tried_location(b, e->object);

	if (!(e->flags & TRACED_TOOK)) {
		if (e->kind == EVENT_MUTEX_FAIL && location != NO_LINE)
			tried_add(b, line, location, CAUSAL_READ, 1, 1);
		return;
	}
	if (a->condition && a->mutex == e->object)
		wake_add(b, line, a);
	else if (location != NO_LINE)
		tried_add(b, line, location, CAUSAL_RMW, 0, 1);
	else
		event_add(b, line,
			  (struct causal_event){
				  .kind = CAUSAL_LOCK,
				  .thread = e->thread,
				  .object = lock_number(b, e->object),
				  .wakes = CAUSAL_NOBODY,
				  .shared = e->kind == EVENT_RWLOCK_RDLOCK });
}

/* Is the lock, which is let go now, held for reading? The last event on it by
 * this thread tells. */
static bool is_read_lock(const struct builder *b, uint32_t line, uint32_t lock)
{
	const struct causal_trace *t = &b->m->causal;
	uint32_t thread = b->t->lines[line].thread;

	for (size_t i = t->events.count; i--;) {
		const struct causal_event *e = &t->events.at[i];

		if (e->kind == CAUSAL_LOCK && e->thread == thread &&
		    e->object == lock)
			return e->shared;
	}
	return given_is_shared(b, thread, lock);
}

static void unlock_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	uint32_t location = tried_location(b, e->object);
	struct causal_event event = { .kind = CAUSAL_UNLOCK,
				      .thread = e->thread,
				      .wakes = CAUSAL_NOBODY };

	if (!(e->flags & TRACED_LEFT))
		return;
	if (location != NO_LINE) {
		tried_add(b, line, location, CAUSAL_WRITE, 1, 0);
		return;
	}
	event.object = lock_number(b, e->object);
	event.shared = e->kind == EVENT_RWLOCK_UNLOCK &&
		       is_read_lock(b, line, event.object);
	event_add(b, line, event);
}

/* ---- conditions, barriers ---- */

static void wait_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	struct actor *a = &b->actors[e->thread];

	if (!(e->flags & TRACED_LEFT)) {
		a->timed_out = e->flags & TRACED_TIME;
		return;
	}
	a->condition = e->object;
	a->mutex = e->was;
	event_add(b, line,
		  (struct causal_event){ .kind = CAUSAL_WAIT,
					 .thread = e->thread,
					 .object =
						 condition_number(b, e->object),
					 .lock = lock_number(b, e->was),
					 .wakes = CAUSAL_NOBODY });
}

static void signal_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];

	event_add(b, line,
		  (struct causal_event){
			  .kind = CAUSAL_SIGNAL,
			  .thread = e->thread,
			  .object = condition_number(b, e->object),
			  .wakes = e->other == NO_THREAD ? CAUSAL_NOBODY :
							   e->other });
}

/* What a thread does in its round; `line` may be NO_LINE. */
static void barrier_add(struct builder *b, uint32_t thread, uint32_t line,
			enum causal_kind kind, bool serial)
{
	const struct actor *a = &b->actors[thread];

	event_add(b, line,
		  (struct causal_event){ .kind = kind,
					 .thread = thread,
					 .object = a->barrier,
					 .wakes = CAUSAL_NOBODY,
					 .round = a->round,
					 .serial = serial });
}

static void arrive_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	struct actor *a = &b->actors[e->thread];
	bool serial = e->flags & TRACED_SERIAL;

	a->barrier = barrier_number(b, e);
	a->round = b->entered.at[a->barrier]++ /
		   b->m->causal.barriers.at[a->barrier];
	barrier_add(b, e->thread, line, CAUSAL_BARRIER_ENTER, serial);
	/* Who comes last leaves at once, without a line of its own. */
	if (serial)
		barrier_add(b, e->thread, NO_LINE, CAUSAL_BARRIER_LEAVE, false);
}

/* ---- lines ---- */

static void line_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];

	if (e->flags & TRACED_TIME && e->kind != EVENT_TIME)
		b->m->gaps |= GAP_TIME;
	switch (e->kind) {
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_FAIL:
	case EVENT_SPIN_LOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
		lock_add(b, line);
		break;
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
		unlock_add(b, line);
		break;
	case EVENT_COND_WAIT:
		wait_add(b, line);
		break;
	case EVENT_COND_SIGNAL:
		signal_add(b, line);
		break;
	case EVENT_COND_BROADCAST:
		sync_add(b, line, CAUSAL_BROADCAST,
			 condition_number(b, e->object));
		break;
	case EVENT_SEM_WAIT:
		if (e->flags & TRACED_TOOK)
			sync_add(b, line, CAUSAL_SEM_WAIT,
				 semaphore_number(b, e));
		break;
	case EVENT_SEM_POST:
		sync_add(b, line, CAUSAL_SEM_POST, semaphore_number(b, e));
		break;
	case EVENT_BARRIER_ENTER:
		arrive_add(b, line);
		break;
	case EVENT_BARRIER_LEAVE:
		barrier_add(b, e->thread, line, CAUSAL_BARRIER_LEAVE, false);
		break;
	case EVENT_THREAD_CREATE:
		if (e->object)
			sync_add(b, line, CAUSAL_CREATE, (uint32_t)e->object);
		break;
	case EVENT_THREAD_BEGIN:
		sync_add(b, line, CAUSAL_BEGIN, 0);
		break;
	case EVENT_THREAD_END:
		sync_add(b, line, CAUSAL_END, 0);
		break;
	case EVENT_THREAD_JOIN:
		if (e->flags & TRACED_TOOK)
			sync_add(b, line, CAUSAL_JOIN, (uint32_t)e->object);
		break;
	case EVENT_RWLOCK_FAIL:
		b->m->gaps |= GAP_TRIED;
		break;
	default:
		if (e->flags & TRACED_UNREAD)
			b->m->gaps |= GAP_UNREAD;
		else if (traced_is_access(e))
			access_add(b, line);
	}
}

/* Locks that somebody tries become variables, unless conditions use them. */
static void find_tried(struct builder *b)
{
	const struct run_trace *t = b->t;
	struct keymap waited = { 0 };

	for (uint32_t i = 0; i < t->line_count; i++)
		if (t->lines[i].kind == EVENT_COND_WAIT)
			*keymap_at(&waited, t->lines[i].was, 0) = 1;
	for (uint32_t i = 0; i < t->line_count; i++) {
		const struct traced *e = &t->lines[i];
		uint32_t *n;

		if (e->kind != EVENT_MUTEX_FAIL)
			continue;
		if (*keymap_at(&waited, e->object, 0)) {
			b->m->gaps |= GAP_TRIED;
			continue;
		}
		n = keymap_at(&b->tried, e->object, 0);
		if (!*n)
			*n = location_add(b, 0, 1) + 1;
	}
	keymap_done(&waited);
}

/* Where more threads come to a barrier than make a round, others might meet. */
static void find_crowds(struct trace_model *m)
{
	const struct causal_trace *t = &m->causal;
	size_t size = t->barriers.count * t->threads;
	bool *came = xcalloc(size + 1, sizeof(*came));
	uint32_t *threads = xcalloc(t->barriers.count + 1, sizeof(*threads));

	for (size_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];
		bool *here = came + (size_t)e->object * t->threads + e->thread;

		if (e->kind != CAUSAL_BARRIER_ENTER || *here)
			continue;
		*here = true;
		if (++threads[e->object] > t->barriers.at[e->object])
			m->gaps |= GAP_BARRIER;
	}
	free(came);
	free(threads);
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
			/* Who arrives last has left as well. */
			if (e != NO_LINE && m->causal.events.at[e].serial)
				sum++;
			count[i + 1] = sum;
		}
		m->events_in[n] = count;
	}
}

static void builder_done(struct builder *b)
{
	memory_parts_done(&b->parts);
	keymap_done(&b->names);
	keymap_done(&b->tried);
	vec_free(&b->entered);
	vec_free(&b->now);
	vec_free(&b->is_known);
	vec_free(&b->given);
	free(b->actors);
}

static uint32_t gaps_of(const struct run_trace *t, uint32_t window)
{
	return (window && t->line_count > window ? GAP_WINDOW : 0) |
	       (t->unmodelled ? GAP_KIND : 0) | (t->is_cut ? GAP_CUT : 0);
}

static void lines_add(struct builder *b, uint32_t begin, uint32_t end)
{
	uint32_t place;

	b->is_given = begin > 0;
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

	m->begin = begin;
	m->gaps = gaps_of(t, window);
	m->causal.threads = t->thread_count;
	m->event_of = xmalloc((t->line_count + 1) * sizeof(*m->event_of));
	memset(m->event_of, 0xff, (t->line_count + 1) * sizeof(*m->event_of));
	b.actors = xcalloc(t->thread_count + 1, sizeof(*b.actors));
	memory_parts_init(&b.parts, t);
	find_tried(&b);
	locations_add(&b);
	lines_add(&b, begin,
		  window && window < t->line_count - begin ? begin + window :
							     t->line_count);
	count_events(m, t);
	find_crowds(m);
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
	for (uint32_t n = 0; n < t->thread_count; n++)
		free(m->events_in[n]);
	free(m->events_in);
	free(m);
}
