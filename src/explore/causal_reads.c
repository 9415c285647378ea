/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the value of a read comes from. For each write that may be the source
 * there is a Boolean, which says that the write takes place, is before the
 * read, and that every other write to the location is before the one or after
 * the other. Threads are orders already, so of the writer's and the reader's
 * own threads one neighbour each says it all.
 */
#include "explore/causal_model.h"

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

/* Is there a write of that thread that must come between? The last one that
 * must be before the read says it for all. */
static bool is_covered(const struct causal *m, const struct pairing *p,
		       uint32_t thread)
{
	const struct causal_sources *list = sources_of(m, p->location, thread);
	const struct order_graph *g = &m->must;
	uint32_t events = g->clock.at[(size_t)p->read * g->chains + thread];
	uint32_t other;
	size_t n;

	if (!events)
		return false;
	n = writes_before(list, g->chain[thread].at[events - 1] + 1);
	if (!n)
		return false;
	other = list->at[n - 1].event;
	return other != p->write &&
	       (p->write == INITIAL || must_be_before(m, p->write, other));
}

/* Would another write always come between? */
static bool is_hopeless(const struct causal *m, const struct pairing *p)
{
	if (p->write == p->read ||
	    (p->write != INITIAL && must_be_before(m, p->read, p->write)))
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

		if (must_be_before(m, w, p->write) ||
		    must_be_before(m, p->read, w))
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

			if (own != INITIAL && own != p->write)
				imply_before(m, x, own, p->write);
		} else if (t == p->writer || p->write == INITIAL) {
			uint32_t next = next_write(m, p, t);

			if (next != INITIAL)
				imply_before(m, x, p->read, next);
		} else {
			keep_apart(m, x, p, t);
		}
	}
	return x;
}

/* Calls for each write that may give the value; stops where that is enough. */
static bool for_sources(const struct causal *m, uint32_t event,
			const struct causal_part *part, uint64_t value,
			struct literals *out, struct causal *to)
{
	struct pairing p = pair(m, event, part->location, INITIAL);
	bool found = false;

	if (m->trace->initial.at[part->location] == value &&
	    !is_hopeless(m, &p)) {
		found = true;
		if (to)
			vec_push(out, add_source(to, &p));
	}
	for (uint32_t t = 0; t < m->trace->threads; t++) {
		const struct causal_sources *list =
			sources_of(m, part->location, t);

		for (size_t i = 0; i < list->count && (to || !found); i++) {
			p = pair(m, event, part->location, list->at[i].event);
			if (list->at[i].value != value || is_hopeless(m, &p))
				continue;
			found = true;
			if (to)
				vec_push(out, add_source(to, &p));
		}
	}
	return found;
}

void causal_add_sources(struct causal *m, uint32_t event,
			const struct causal_part *part, uint64_t value,
			struct literals *out)
{
	for_sources(m, event, part, value, out, m);
}

bool causal_has_source(const struct causal *m, uint32_t event,
		       const struct causal_part *part, uint64_t value)
{
	return for_sources(m, event, part, value, NULL, NULL);
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

void causal_add_reads(struct causal *m)
{
	const struct causal_trace *t = m->trace;

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];

		for (uint32_t k = 0; k < e->parts && causal_reads(e); k++)
			keep_value(m, i, e->part + k);
	}
}
