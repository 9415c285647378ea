/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions. A wait that ends has been ended by a signal (or its time was up,
 * as in the trace); a signal ends one wait, if any is under way; a broadcast
 * ends all that are. Which signal ends which wait is free.
 */
#include "explore/causal_model.h"

struct wait {
	uint32_t condition, thread;
	uint32_t begin, end; /* end may be CAUSAL_NOBODY */
	bool timed_out;
	struct literals by;    /* what may have ended it */
	VEC(uint32_t) signals; /* of the same: events */
};

struct waits {
	struct wait *at;
	size_t count, room;
};

static void note_end(struct waits *all, uint32_t event,
		     const struct causal_event *e)
{
	for (size_t i = all->count; i--;) {
		struct wait *w = &all->at[i];

		if (w->thread == e->thread) {
			w->end = event;
			w->timed_out = e->timed_out;
			return;
		}
	}
}

static struct waits find_waits(const struct causal_trace *t)
{
	struct waits all = { 0 };

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];

		if (e->kind == CAUSAL_WAIT)
			vec_push(&all, (struct wait){ .condition = e->object,
						      .thread = e->thread,
						      .begin = i,
						      .end = CAUSAL_NOBODY });
		else if (e->kind == CAUSAL_WAKE)
			note_end(&all, i, e);
	}
	return all;
}

static bool is_notice(const struct causal_event *e)
{
	return e->kind == CAUSAL_SIGNAL || e->kind == CAUSAL_BROADCAST;
}

/* Can the signal ever meet the wait? */
static bool may_meet(const struct causal *m, const struct wait *w, uint32_t s)
{
	const struct causal_event *e = &m->trace->events.at[s];

	return is_notice(e) && e->object == w->condition &&
	       e->thread != w->thread && !must_be_before(m, s, w->begin) &&
	       (w->end == CAUSAL_NOBODY || !must_be_before(m, w->end, s));
}

static void add_match(struct causal *m, struct wait *w, uint32_t s)
{
	literal x = solver_variable(m->solver, m->present[w->begin]);
	literal not_x = literal_not(x);

	causal_clause(m, not_x, m->present[w->begin]);
	causal_clause(m, not_x, m->present[s]);
	causal_clause(m, not_x, causal_before(m, w->begin, s));
	if (w->end != CAUSAL_NOBODY) {
		causal_clause(m, not_x, causal_before(m, s, w->end));
		if (w->timed_out)
			causal_clause(m, not_x,
				      literal_not(m->present[w->end]));
	}
	vec_push(&w->by, x);
	vec_push(&w->signals, s);
	vec_push(&m->matches, (struct causal_match){ s, w->begin, x });
}

/* Whoever wakes, and not by its time, was woken. */
static void add_matches(struct causal *m, struct wait *w)
{
	for (uint32_t s = 0; s < m->trace->events.count; s++)
		if (may_meet(m, w, s))
			add_match(m, w, s);
	causal_at_most_one(m, &w->by);
	if (w->end == CAUSAL_NOBODY || w->timed_out)
		return;
	vec_push(&w->by, literal_not(m->present[w->end]));
	solver_clause(m->solver, w->by.at, w->by.count);
	w->by.count--;
}

/* The literal that a signal ends some wait; and it ends no more than one. */
static literal add_use(struct causal *m, uint32_t s)
{
	struct literals by = { 0 };
	literal used = solver_variable(m->solver, m->present[s]);

	for (size_t i = 0; i < m->matches.count; i++)
		if (m->matches.at[i].signal == s)
			vec_push(&by, m->matches.at[i].l);
	causal_at_most_one(m, &by);
	vec_push(&by, literal_not(used));
	solver_clause(m->solver, by.at, by.count);
	vec_free(&by);
	return used;
}

/* The literal that a wait ended by its time before the signal. */
static literal add_gone(struct causal *m, const struct wait *w, uint32_t s)
{
	literal gone;

	if (w->end == CAUSAL_NOBODY || !w->timed_out)
		return LITERAL_FALSE;
	gone = solver_variable(m->solver, m->present[w->end]);
	causal_clause(m, literal_not(gone), m->present[w->end]);
	causal_clause(m, literal_not(gone), causal_before(m, w->end, s));
	return gone;
}

/* A signal that meets the wait under way does not pass without effect: it
 * serves, or the wait has been ended by an earlier one. */
static void add_service(struct causal *m, const struct wait *w, uint32_t s,
			literal served)
{
	literal apart[] = { literal_not(m->present[w->begin]),
			    literal_not(m->present[s]),
			    causal_before(m, s, w->begin) };
	struct literals any = { 0 };

	for (size_t i = 0; i < w->by.count; i++) {
		vec_push(&any, w->by.at[i]);
		if (w->signals.at[i] != s)
			causal_clause(m, apart[0], apart[1], apart[2],
				      literal_not(w->by.at[i]), served,
				      causal_before(m, w->signals.at[i], s));
	}
	for (int i = 0; i < 3; i++)
		vec_push(&any, apart[i]);
	vec_push(&any, served);
	vec_push(&any, add_gone(m, w, s));
	solver_clause(m->solver, any.at, any.count);
	vec_free(&any);
}

static literal match_of(const struct wait *w, uint32_t s)
{
	for (size_t i = 0; i < w->by.count; i++)
		if (w->signals.at[i] == s)
			return w->by.at[i];
	return LITERAL_FALSE;
}

void causal_add_waits(struct causal *m)
{
	struct waits all = find_waits(m->trace);

	for (size_t i = 0; i < all.count; i++)
		add_matches(m, &all.at[i]);
	for (uint32_t s = 0; s < m->trace->events.count && all.count; s++) {
		const struct causal_event *e = &m->trace->events.at[s];
		bool to_all = e->kind == CAUSAL_BROADCAST;
		literal used = LITERAL_FALSE;

		if (!is_notice(e))
			continue;
		if (!to_all)
			used = add_use(m, s);
		for (size_t i = 0; i < all.count; i++)
			if (may_meet(m, &all.at[i], s))
				add_service(m, &all.at[i], s,
					    to_all ? match_of(&all.at[i], s) :
						     used);
	}
	for (size_t i = 0; i < all.count; i++) {
		vec_free(&all.at[i].by);
		vec_free(&all.at[i].signals);
	}
	vec_free(&all);
}
