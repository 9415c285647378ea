/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers. The threads of a barrier keep the rounds that they had: of a round,
 * all arrive before any leaves, and rounds come one after another.
 *
 * Who arrives last is told so, and may do something else because of it. That is
 * the only result that can vary, so it is a question like that of a read: can
 * this thread arrive last? Then whoever did is told something else as well, and
 * both threads are at the end of what the trace knows of them; *turned* is the
 * arrival of the other one.
 */
#include "explore/causal_model.h"

/* The arrivals and departures of a trace. */
struct crossings {
	uint32_t *at;
	size_t count, room;
};

static bool is_arrival(const struct causal_event *e, uint32_t barrier,
		       uint32_t round)
{
	return e->kind == CAUSAL_BARRIER_ENTER && e->object == barrier &&
	       e->round == round;
}

uint32_t causal_turned(const struct causal_trace *t, uint32_t event)
{
	const struct causal_event *e = &t->events.at[event];

	if (e->kind != CAUSAL_BARRIER_ENTER || e->serial)
		return CAUSAL_NOBODY;
	for (uint32_t i = 0; i < t->events.count; i++)
		if (is_arrival(&t->events.at[i], e->object, e->round) &&
		    t->events.at[i].serial)
			return i;
	return CAUSAL_NOBODY;
}

/* Must one be before the other? */
static bool barrier_orders(const struct causal_event *a,
			   const struct causal_event *b)
{
	if (a->kind != CAUSAL_BARRIER_ENTER || a->object != b->object)
		return false;
	if (b->kind == CAUSAL_BARRIER_LEAVE)
		return a->round == b->round;
	return a->round + 1 == b->round;
}

/* Whoever arrives last, as in the trace, finds all others there. */
static void add_last(struct causal *m, uint32_t a, uint32_t last)
{
	literal other = literal_not(m->present[last]);

	causal_clause(m, other, m->present[a]);
	causal_clause(m, other, causal_before(m, a, last));
}

void causal_add_barriers(struct causal *m)
{
	const struct causal_event *e = m->trace->events.at;
	struct crossings all = { 0 };

	for (uint32_t i = 0; i < m->trace->events.count; i++)
		if (e[i].kind == CAUSAL_BARRIER_ENTER ||
		    e[i].kind == CAUSAL_BARRIER_LEAVE)
			vec_push(&all, i);
	for (size_t i = 0; i < all.count; i++)
		for (size_t k = 0; k < all.count; k++)
			if (barrier_orders(&e[all.at[i]], &e[all.at[k]]))
				causal_edge(m, all.at[i], all.at[k]);
	for (size_t i = 0; i < all.count; i++) {
		uint32_t last = causal_turned(m->trace, all.at[i]);

		if (last != CAUSAL_NOBODY)
			add_last(m, all.at[i], last);
	}
	vec_free(&all);
}

void causal_add_arrival(struct causal *m, uint32_t event, literal q)
{
	const struct causal_event *e = &m->trace->events.at[event];
	literal no = literal_not(q);

	for (uint32_t i = 0; i < m->trace->events.count; i++) {
		const struct causal_event *other = &m->trace->events.at[i];

		if (i == event || !is_arrival(other, e->object, e->round))
			continue;
		causal_clause(m, no, causal_before(m, i, event));
		causal_clause(m, no,
			      other->serial ? m->there[i] : m->present[i]);
		if (other->serial)
			causal_clause(m, no, literal_not(m->present[i]));
	}
}
