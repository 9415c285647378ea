/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/candidate.h"

#include <string.h>

enum {
	LOOK = 200,	  /* events of a thread on each side of a switch */
	MEANWHILE = 4000, /* events of others while it stood */
	WINDOWS = 64,	  /* the last ones count */
	EDGES = 12,	  /* on each side, the nearest */
	MOST = 400,	  /* candidates */
};

/* ---- conflicts ---- */

static bool is_access(uint32_t operation)
{
	return operation == HUNT_READ || operation == HUNT_WRITE;
}

static bool is_earlier(const struct event *e)
{
	return e->kind == EVENT_EARLIER_READ || e->kind == EVENT_EARLIER_WRITE;
}

static bool overlap(const struct event *a, const struct event *b)
{
	uint64_t a_end = a->addr + (a->size ? a->size : 1);
	uint64_t b_end = b->addr + (b->size ? b->size : 1);

	return a->addr < b_end && b->addr < a_end;
}

/* Waiters and those who wake them, on one condition or semaphore. */
static bool is_waiting(uint8_t kind)
{
	return kind == EVENT_COND_WAIT || kind == EVENT_SEM_WAIT ||
	       kind == EVENT_FUTEX_WAIT;
}

static bool is_waking(uint8_t kind)
{
	return kind == EVENT_COND_SIGNAL || kind == EVENT_COND_BROADCAST ||
	       kind == EVENT_SEM_POST || kind == EVENT_FUTEX_WAKE;
}

/* The end of what others may still use. */
static bool is_ending(uint8_t kind)
{
	return kind == EVENT_FREE || kind == EVENT_MUTEX_DESTROY ||
	       kind == EVENT_RWLOCK_DESTROY || kind == EVENT_SPIN_DESTROY ||
	       kind == EVENT_COND_DESTROY || kind == EVENT_SEM_DESTROY;
}

/* A thread stands still before such an event, so it can be held there. */
static bool is_point(const struct event *e)
{
	uint32_t operation = hunt_operation(e->kind);

	return is_access(operation) || operation == HUNT_LOCK ||
	       is_waiting(e->kind) || is_waking(e->kind);
}

static bool is_relevant(const struct event *e)
{
	return is_point(e) || is_ending(e->kind);
}

bool events_conflict(const struct event *a, const struct event *b)
{
	uint32_t x = hunt_operation(a->kind), y = hunt_operation(b->kind);

	if (is_earlier(a) || is_earlier(b))
		return false;
	if (is_ending(a->kind) || is_ending(b->kind))
		return overlap(a, b);
	if (is_access(x) && is_access(y))
		return (x == HUNT_WRITE || y == HUNT_WRITE) && overlap(a, b);
	if (a->addr != b->addr)
		return false;
	if (x == HUNT_LOCK || y == HUNT_LOCK)
		return x == y;
	return (is_waiting(a->kind) && is_waking(b->kind)) ||
	       (is_waking(a->kind) && is_waiting(b->kind));
}

/* ---- patterns ---- */

/* As the guest compares them: by the 8 bytes in which they begin. */
static bool is_same_object(const struct event *a, const struct event *b)
{
	return a->addr >> 3 == b->addr >> 3;
}

void candidate_pattern(const struct candidate *c, const struct event *events,
		       uint32_t *objects, uint32_t *threads)
{
	uint32_t object_count = 0, thread_count = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct event *e = &events[c->at[i]];

		objects[i] = c->gates >> i & 1 ? HUNT_ANY_OBJECT : object_count;
		threads[i] = thread_count;
		for (uint32_t k = i; k-- > 0;) {
			const struct event *f = &events[c->at[k]];

			if (!((c->gates >> i | c->gates >> k) & 1) &&
			    is_same_object(e, f))
				objects[i] = objects[k];
			if (e->thread == f->thread)
				threads[i] = threads[k];
		}
		object_count += objects[i] == object_count;
		thread_count += threads[i] == thread_count;
	}
}

static bool is_same(const struct candidate *a, const struct candidate *b,
		    const struct event *events)
{
	uint32_t ao[HUNT_EVENTS], at[HUNT_EVENTS];
	uint32_t bo[HUNT_EVENTS], bt[HUNT_EVENTS];

	if (a->count != b->count)
		return false;
	candidate_pattern(a, events, ao, at);
	candidate_pattern(b, events, bo, bt);
	for (uint32_t i = 0; i < a->count; i++)
		if (events[a->at[i]].stack != events[b->at[i]].stack ||
		    events[a->at[i]].kind != events[b->at[i]].kind ||
		    ao[i] != bo[i] || at[i] != bt[i])
			return false;
	return true;
}

/* ---- windows ---- */

/* What happened while a thread stood still: events from .. to-1. */
struct window {
	uint32_t thread;
	size_t from, to; /* to: where it went on; or the end */
	uint32_t age;	 /* windows behind this one */
};

/* An edge out of the thread, or into it. */
struct edge {
	size_t own, other;
	uint32_t cost; /* edges that are nearer */
};

struct side {
	struct edge at[EDGES];
	uint32_t count;
};

struct finder {
	const struct event *events;
	size_t count;
	struct candidates *out;
};

/* The same thing done again at a greater distance adds nothing. */
static bool has_like(const struct finder *f, const struct side *s,
		     const struct event *e)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct event *own = &f->events[s->at[i].own];

		if (own->kind == e->kind && own->stack == e->stack &&
		    is_same_object(own, e))
			return true;
	}
	return false;
}

/* The first event of others in the window that conflicts; or `to`. */
static size_t first_conflict(const struct finder *f, const struct window *w,
			     size_t own)
{
	size_t end = w->to - w->from > MEANWHILE ? w->from + MEANWHILE : w->to;

	for (size_t i = w->from; i < end; i++)
		if (f->events[i].thread != w->thread &&
		    events_conflict(&f->events[own], &f->events[i]))
			return i;
	return w->to;
}

static size_t last_conflict(const struct finder *f, const struct window *w,
			    size_t own)
{
	size_t end = w->to - w->from > MEANWHILE ? w->to - MEANWHILE : w->from;

	for (size_t i = w->to; i-- > end;)
		if (f->events[i].thread != w->thread &&
		    events_conflict(&f->events[own], &f->events[i]))
			return i;
	return w->to;
}

static void edges_out(const struct finder *f, const struct window *w,
		      struct side *s)
{
	uint32_t seen = 0;

	for (size_t i = w->from; i-- > 0 && seen < LOOK && s->count < EDGES;) {
		const struct event *e = &f->events[i];
		size_t other;

		if (e->thread != w->thread || !is_relevant(e))
			continue;
		other = has_like(f, s, e) ? w->to : first_conflict(f, w, i);
		if (other < w->to) {
			s->at[s->count] = (struct edge){ i, other, s->count };
			s->count++;
		}
		seen++;
	}
}

static void edges_in(const struct finder *f, const struct window *w,
		     struct side *s)
{
	uint32_t seen = 0;

	for (size_t i = w->to; i < f->count && seen < LOOK && s->count < EDGES;
	     i++) {
		const struct event *e = &f->events[i];
		size_t other;

		if (e->thread != w->thread || !is_relevant(e))
			continue;
		other = has_like(f, s, e) ? w->to : last_conflict(f, w, i);
		if (other < w->to) {
			s->at[s->count] = (struct edge){ i, other, s->count };
			s->count++;
		}
		seen++;
	}
}

/* ---- candidates ---- */

/* What ends a block is no point: the last one of its thread before it stands
 * for it, from which the thread runs through the end. */
static bool candidate_settle(const struct finder *f, struct candidate *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t thread = f->events[c->at[i]].thread;
		size_t low = i ? c->at[i - 1] + 1 : 0, at = c->at[i] + 1;

		do {
			if (at == low)
				return false;
			at--;
		} while (f->events[at].thread != thread ||
			 !is_point(&f->events[at]));
		c->at[i] = at;
	}
	return true;
}

static void candidate_add(const struct finder *f, struct candidate c)
{
	if (!candidate_settle(f, &c))
		return;
	for (size_t i = 0; i < f->out->all.count; i++) {
		struct candidate *old = &f->out->all.at[i];

		if (!is_same(old, &c, f->events))
			continue;
		if (c.cost < old->cost)
			*old = c;
		return;
	}
	if (f->out->all.count < MOST)
		vec_push(&f->out->all, c);
}

static void add_pairs(const struct finder *f, const struct window *w,
		      const struct edge *out, const struct side *in)
{
	uint32_t b = f->events[out->other].thread;

	for (uint32_t i = 0; i < in->count; i++) {
		const struct edge *back = &in->at[i];
		struct candidate c = { .at = { out->own, out->other },
				       .count = 2,
				       .cost = w->age + out->cost +
					       back->cost };

		if (f->events[back->other].thread != b ||
		    back->other < out->other)
			continue;
		if (back->other > out->other)
			c.at[c.count++] = back->other;
		c.at[c.count++] = back->own;
		candidate_add(f, c);
	}
}

/* An order alone is tried after what encloses: it says less of what was meant
 * to be one action. */
static void add_window(const struct finder *f, const struct window *w)
{
	enum { ORDER_COST = 2 };
	struct side out = { .count = 0 }, in = { .count = 0 };

	edges_out(f, w, &out);
	edges_in(f, w, &in);
	for (uint32_t i = 0; i < out.count; i++) {
		const struct edge *e = &out.at[i];

		add_pairs(f, w, e, &in);
		candidate_add(f, (struct candidate){ .at = { e->own, e->other },
						     .count = 2,
						     .cost = w->age + e->cost +
							     ORDER_COST });
	}
}

static size_t next_of(const struct finder *f, uint32_t thread, size_t from)
{
	while (from < f->count && f->events[from].thread != thread)
		from++;
	return from;
}

static int by_cost(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return memcmp(x->at, y->at, sizeof(x->at));
}

/* The last windows first: they are nearest to the failure. */
void candidates_find(const struct event *events, size_t count,
		     struct candidates *out)
{
	struct finder f = { events, count, out };
	uint32_t age = 0;

	for (size_t i = count; i-- > 1 && age < WINDOWS;) {
		struct window w = { .thread = events[i - 1].thread,
				    .from = i,
				    .age = age };

		if (events[i].thread == w.thread)
			continue;
		w.to = next_of(&f, w.thread, i);
		add_window(&f, &w);
		age++;
	}
	if (out->all.count)
		qsort(out->all.at, out->all.count, sizeof(*out->all.at),
		      by_cost);
}

/* ---- cycles of locks ---- */

static uint32_t holder_of(const struct control_thread *threads, uint32_t count,
			  uint64_t object)
{
	for (uint32_t n = 0; n < count; n++)
		for (uint32_t i = 0;
		     i < threads[n].hold_count && i < CONTROL_HELD; i++)
			if (threads[n].holds[i].object == object)
				return n;
	return NO_THREAD;
}

/* Where a thread got what it holds. */
static size_t acquisition(const struct event *events, size_t count,
			  uint32_t thread, uint64_t object)
{
	for (size_t i = count; i-- > 0;)
		if (events[i].thread == thread && events[i].addr == object &&
		    hunt_operation(events[i].kind) == HUNT_LOCK)
			return i;
	return count;
}

static int by_index(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool waits_for_lock(const struct control_thread *t)
{
	return t->state == THREAD_BLOCKED &&
	       hunt_operation(t->kind) == HUNT_LOCK;
}

void candidates_add_cycle(const struct event *events, size_t count,
			  const struct control_thread *threads,
			  uint32_t thread_count, struct candidates *out)
{
	for (uint32_t first = 0; first < thread_count; first++) {
		struct candidate c = { .is_cycle = true };
		uint32_t n = first;

		while (waits_for_lock(&threads[n]) && c.count < HUNT_EVENTS) {
			uint64_t object = threads[n].object;
			size_t at;

			n = holder_of(threads, thread_count, object);
			if (n == NO_THREAD)
				break;
			at = acquisition(events, count, n, object);
			if (at == count)
				break;
			c.at[c.count++] = at;
			if (n == first)
				break;
		}
		if (n != first || c.count < 2)
			continue;
		qsort(c.at, c.count, sizeof(*c.at), by_index);
		vec_push(&out->all, c);
		memmove(&out->all.at[1], &out->all.at[0],
			(out->all.count - 1) * sizeof(c));
		out->all.at[0] = c;
		return;
	}
}
