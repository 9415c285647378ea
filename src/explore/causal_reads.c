/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the value of a read comes from. For each write that may be the source
 * there is a Boolean, which says that the write takes place, is before the
 * read, and that every other write to the location is before the one or after
 * the other. Threads are orders already, so of the writer's and the reader's
 * own threads one neighbour each says it all.
 *
 * An event takes place only where all does that it *needs*, and after that:
 * what is before it in its thread, and where that reads, what all the writes
 * need that can have given the value. A read that a write needs has got what it
 * got, so it cannot get that write; nor can it where another write is needed by
 * what is before the read and needs the first. Of a counter's questions nearly
 * all are such.
 */
#include "explore/causal_model.h"

#include <string.h>

/* The value that was there before any write. */
enum { INITIAL = CAUSAL_NOBODY };

static const struct causal_sources *sources_of(const struct causal *m,
					       uint32_t location,
					       uint32_t thread)
{
	return &m->sources[(size_t)location * m->trace->threads + thread];
}

/* How many of the writes come before that event of the same thread. */
static size_t writes_before(const struct causal_sources *list, uint32_t event)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A pair of a read and a write it may get its value from. */
struct pairing {
	uint32_t read, write, location;
	uint32_t reader, writer; /* threads; CAUSAL_NOBODY: the initial value */
};

static struct pairing pair(const struct causal *m, uint32_t read,
			   uint32_t location, uint32_t write)
{
	const struct causal_event *e = m->trace->events.at;

	return (struct pairing){ read, write, location, e[read].thread,
				 write == INITIAL ? CAUSAL_NOBODY :
						    e[write].thread };
}

/* The last write of the reader's own thread before the read. */
static uint32_t own_write(const struct causal *m, const struct pairing *p)
{
	const struct causal_sources *list =
		sources_of(m, p->location, p->reader);
	size_t n = writes_before(list, p->read);

	return n ? list->at[n - 1].event : INITIAL;
}

/* The writer's next write after the source; for the initial value and a
 * thread, its first. */
static uint32_t next_write(const struct causal *m, const struct pairing *p,
			   uint32_t thread)
{
	const struct causal_sources *list = sources_of(m, p->location, thread);
	size_t n = p->write == INITIAL ? 0 : writes_before(list, p->write) + 1;

	return n < list->count ? list->at[n].event : INITIAL;
}

/* How many events of a thread take place with that one. */
static uint32_t *needs_of(const struct causal *m, uint32_t event)
{
	return &m->needs[(size_t)event * m->trace->threads];
}

/* The same, whatever it reads. */
static uint32_t *before_of(const struct causal *m, uint32_t event)
{
	return &m->before[(size_t)event * m->trace->threads];
}

/* Where b takes place, a does and is before it. */
static bool is_earlier(const struct causal *m, uint32_t a, uint32_t b)
{
	return must_be_before(m, a, b) || causal_is_needed(m, a, b);
}

/* Is there a write of that thread that comes between? The last one that is
 * before the read says it for all. */
static bool is_covered(const struct causal *m, const struct pairing *p,
		       uint32_t thread)
{
	const struct causal_sources *list = sources_of(m, p->location, thread);
	const struct order_graph *g = &m->must;
	uint32_t events = g->clock.at[(size_t)p->read * g->chains + thread];
	uint32_t other;
	size_t n;

	if (events < before_of(m, p->read)[thread])
		events = before_of(m, p->read)[thread];
	if (!events)
		return false;
	n = writes_before(list, g->chain[thread].at[events - 1] + 1);
	if (!n)
		return false;
	other = list->at[n - 1].event;
	return other != p->write &&
	       (p->write == INITIAL || is_earlier(m, p->write, other));
}

/* Does the write need the read to have got what it got, or would another write
 * always come between? */
static bool is_hopeless(const struct causal *m, const struct pairing *p)
{
	if (p->write == p->read ||
	    (p->write != INITIAL && is_earlier(m, p->read, p->write)))
		return true;
	for (uint32_t t = 0; t < m->trace->threads; t++)
		if (is_covered(m, p, t))
			return true;
	return false;
}

/* x implies that a is before b. */
static void imply_before(struct causal *m, literal x, uint32_t a, uint32_t b)
{
	causal_clause(m, literal_not(x), causal_before(m, a, b));
}

/* The writes of a thread that is neither the reader's nor the writer's. */
static void keep_apart(struct causal *m, literal x, const struct pairing *p,
		       uint32_t thread)
{
	const struct causal_sources *list = sources_of(m, p->location, thread);

	for (size_t i = 0; i < list->count; i++) {
		uint32_t w = list->at[i].event;

		if (is_earlier(m, w, p->write) || is_earlier(m, p->read, w))
			continue;
		causal_clause(m, literal_not(x), causal_before(m, w, p->write),
			      causal_before(m, p->read, w));
	}
}

static literal add_source(struct causal *m, const struct pairing *p)
{
	literal x = solver_variable(m->solver, m->there[p->read]);

	if (p->write != INITIAL) {
		causal_clause(m, literal_not(x), m->present[p->write]);
		imply_before(m, x, p->write, p->read);
	}
	for (uint32_t t = 0; t < m->trace->threads; t++) {
		if (t == p->reader) {
			uint32_t own = own_write(m, p);

			if (own != INITIAL && own != p->write &&
			    !is_earlier(m, own, p->write))
				imply_before(m, x, own, p->write);
		} else if (t == p->writer || p->write == INITIAL) {
			uint32_t next = next_write(m, p, t);

			if (next != INITIAL && !is_earlier(m, p->read, next))
				imply_before(m, x, p->read, next);
		} else {
			keep_apart(m, x, p, t);
		}
	}
	return x;
}

/* Goes through the writes that a part of a read may get its value from: the
 * initial value, then thread by thread. */
struct source_walk {
	const struct causal_part *part;
	const uint64_t *only; /* of this value, unless NULL */
	struct pairing found;
	uint64_t value; /* of the one that was found */
	uint32_t read, thread;
	size_t next;
	bool is_begun;
};

static bool is_source(const struct causal *m, struct source_walk *w,
		      uint32_t write, uint64_t value)
{
	if (w->only && *w->only != value)
		return false;
	w->found = pair(m, w->read, w->part->location, write);
	w->value = value;
	return !is_hopeless(m, &w->found);
}

static bool next_source(const struct causal *m, struct source_walk *w)
{
	uint32_t location = w->part->location;

	if (!w->is_begun) {
		w->is_begun = true;
		if (is_source(m, w, INITIAL, m->trace->initial.at[location]))
			return true;
	}
	for (; w->thread < m->trace->threads; w->thread++) {
		const struct causal_sources *list =
			sources_of(m, location, w->thread);

		while (w->next < list->count) {
			const struct causal_source *s = &list->at[w->next++];

			if (is_source(m, w, s->event, s->value))
				return true;
		}
		w->next = 0;
	}
	return false;
}

void causal_add_sources(struct causal *m, uint32_t event,
			const struct causal_part *part, uint64_t value,
			struct literals *out)
{
	struct source_walk w = { .part = part, .only = &value, .read = event };

	while (next_source(m, &w))
		vec_push(out, add_source(m, &w.found));
}

static bool has_value(const struct causal_values *v, uint64_t value)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->at[i] == value)
			return true;
	return false;
}

void causal_add_values(const struct causal *m, uint32_t event,
		       const struct causal_part *part,
		       struct causal_values *out)
{
	struct source_walk w = { .part = part, .read = event };

	while (next_source(m, &w))
		if (!has_value(out, w.value))
			vec_push(out, w.value);
}

/* ---- what takes place with an event ---- */

/* An event, and all that it needs. */
static void join_event(const struct causal *m, uint32_t *to, uint32_t event)
{
	const struct causal_event *e = &m->trace->events.at[event];
	const uint32_t *more = needs_of(m, event);

	for (uint32_t t = 0; t < m->trace->threads; t++) {
		uint32_t count = t == e->thread ? e->position + 1 : more[t];

		if (count > to[t])
			to[t] = count;
	}
}

/* What all writes have in common that may give a part the value it had. */
static void join_sources(const struct causal *m, uint32_t event,
			 const struct causal_part *part, uint32_t *common,
			 uint32_t *one)
{
	uint32_t threads = m->trace->threads;
	struct source_walk w = { .part = part,
				 .only = &part->was,
				 .read = event };

	memset(common, 0xff, threads * sizeof(*common));
	while (next_source(m, &w)) {
		memset(one, 0, threads * sizeof(*one));
		if (w.found.write != INITIAL)
			join_event(m, one, w.found.write);
		for (uint32_t t = 0; t < threads; t++)
			if (one[t] < common[t])
				common[t] = one[t];
	}
	for (uint32_t t = 0; t < threads; t++)
		if (common[t] != 0xffffffff &&
		    common[t] > needs_of(m, event)[t])
			needs_of(m, event)[t] = common[t];
}

/* What is before an event in its thread, and what must be before it. */
static void join_earlier(const struct causal *m, uint32_t event)
{
	const struct order_graph *g = &m->must;

	for (uint32_t t = 0; t < g->chains; t++) {
		uint32_t count = g->clock.at[(size_t)event * g->chains + t];

		if (t == m->trace->events.at[event].thread)
			count = m->trace->events.at[event].position;
		if (count)
			join_event(m, before_of(m, event),
				   g->chain[t].at[count - 1]);
	}
	memcpy(needs_of(m, event), before_of(m, event),
	       g->chains * sizeof(*m->needs));
}

/* A read that takes place as in the trace has one of its sources. */
static void keep_value(struct causal *m, uint32_t event, uint32_t part)
{
	const struct causal_part *p = &m->trace->parts.at[part];
	struct literals *kept = &m->kept[part];

	causal_add_sources(m, event, p, p->was, kept);
	vec_push(kept, literal_not(m->present[event]));
	solver_clause(m->solver, kept->at, kept->count);
	kept->count--;
}

void causal_find_needs(struct causal *m)
{
	const struct causal_trace *t = m->trace;
	uint32_t *scratch = xcalloc(2 * t->threads + 1, sizeof(*scratch));

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];

		join_earlier(m, i);
		for (uint32_t k = 0; k < e->parts && causal_reads(e); k++)
			join_sources(m, i, &t->parts.at[e->part + k], scratch,
				     scratch + t->threads);
	}
	free(scratch);
}

void causal_add_reads(struct causal *m)
{
	const struct causal_trace *t = m->trace;

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];

		for (uint32_t k = 0; k < e->parts && causal_reads(e); k++)
			keep_value(m, i, e->part + k);
	}
}
