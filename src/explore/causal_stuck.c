/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States in which every thread waits: for a lock that another holds, for a
 * signal that does not come, for a token, for the end of a thread, for others
 * at a barrier. The published model has schedules only in which every wait
 * ends, and so no deadlocks; here a thread may stop before an event that it
 * would have to wait for, and the question is whether all of them can.
 *
 * The main thread must be among them, for the program ends with it, unless it
 * ends as other threads do, in pthread_exit; at least one thread must be.
 */
#include "explore/causal_model.h"

static bool can_wait(const struct causal_event *e)
{
	switch (e->kind) {
	case CAUSAL_LOCK:
	case CAUSAL_SEM_WAIT:
		return !e->tried;
	case CAUSAL_JOIN:
	case CAUSAL_BARRIER_LEAVE:
		return true;
	case CAUSAL_WAKE:
		return !e->timed_out;
	default:
		return false;
	}
}

static uint32_t event_before(const struct causal *m, uint32_t event)
{
	const struct causal_event *e = &m->trace->events.at[event];

	return e->position ? m->must.chain[e->thread].at[e->position - 1] :
			     CAUSAL_NOBODY;
}

static uint32_t lock_of(const struct causal_event *e)
{
	return e->kind == CAUSAL_WAKE || e->kind == CAUSAL_WAIT ? e->lock :
								  e->object;
}

static bool enters(const struct causal_event *e, uint32_t lock)
{
	return (e->kind == CAUSAL_LOCK || e->kind == CAUSAL_WAKE) &&
	       lock_of(e) == lock;
}

static bool leaves(const struct causal_event *e, uint32_t lock)
{
	return (e->kind == CAUSAL_UNLOCK || e->kind == CAUSAL_WAIT) &&
	       lock_of(e) == lock;
}

/* The literal that the section which begins with `enter` has been entered and
 * not left. */
static literal add_holds(struct causal *m, uint32_t enter, uint32_t lock)
{
	const struct causal_event *e = &m->trace->events.at[enter];
	const struct order_chain *own = &m->must.chain[e->thread];
	literal x = solver_variable(m->solver, LITERAL_TRUE);

	causal_clause(m, literal_not(x), m->present[enter]);
	for (size_t i = e->position + 1; i < own->count; i++)
		if (leaves(&m->trace->events.at[own->at[i]], lock)) {
			causal_clause(m, literal_not(x),
				      literal_not(m->there[own->at[i]]));
			break;
		}
	return x;
}

/* Adds the literals that somebody else holds the lock. */
static void add_held(struct causal *m, uint32_t event, struct literals *out)
{
	const struct causal_event *e = &m->trace->events.at[event];
	uint32_t lock = lock_of(e);

	for (uint32_t i = 0; i < m->trace->events.count; i++) {
		const struct causal_event *other = &m->trace->events.at[i];

		if (other->thread != e->thread && enters(other, lock) &&
		    !(other->shared && e->shared))
			vec_push(out, add_holds(m, i, lock));
	}
}

/* The literal that nobody has ended the wait. */
static literal add_unheard(struct causal *m, uint32_t wake)
{
	uint32_t begin = event_before(m, wake);
	literal x = solver_variable(m->solver, LITERAL_TRUE);

	for (size_t i = 0; i < m->matches.count; i++)
		if (m->matches.at[i].wait == begin)
			causal_clause(m, literal_not(x),
				      literal_not(m->matches.at[i].l));
	return x;
}

/* Every token has been taken. */
static void need_no_token(struct causal *m, literal stop, uint32_t semaphore)
{
	struct literals any = { 0 };

	for (size_t i = 0; i < m->tokens.count; i++) {
		const struct causal_token *k = &m->tokens.at[i];

		if (k->semaphore != semaphore)
			continue;
		any.count = 0;
		for (size_t n = 0; n < k->takers; n++)
			vec_push(&any, m->takers.at[k->first + n].l);
		if (k->post != CAUSAL_NOBODY)
			vec_push(&any, literal_not(m->present[k->post]));
		vec_push(&any, literal_not(stop));
		solver_clause(m->solver, any.at, any.count);
	}
	vec_free(&any);
}

static void add_missing(struct causal *m, uint32_t event, struct literals *out)
{
	const struct causal_event *e = &m->trace->events.at[event];
	uint32_t met = 0;

	for (uint32_t i = 0; i < m->trace->events.count; i++) {
		const struct causal_event *other = &m->trace->events.at[i];

		if (other->kind != CAUSAL_BARRIER_ENTER ||
		    other->object != e->object || other->round != e->round)
			continue;
		met++;
		vec_push(out, literal_not(m->there[i]));
	}
	if (met < m->trace->barriers.at[e->object])
		vec_push(out, LITERAL_TRUE);
}

/* Says why the thread cannot go on there. */
static void need_cause(struct causal *m, uint32_t event, literal stop)
{
	const struct causal_event *e = &m->trace->events.at[event];
	struct literals any = { 0 };

	if (e->kind == CAUSAL_SEM_WAIT) {
		need_no_token(m, stop, e->object);
		return;
	}
	if (e->kind == CAUSAL_LOCK || e->kind == CAUSAL_WAKE)
		add_held(m, event, &any);
	if (e->kind == CAUSAL_WAKE)
		vec_push(&any, add_unheard(m, event));
	if (e->kind == CAUSAL_JOIN) {
		const struct order_chain *other = &m->must.chain[e->object];

		if (other->count)
			vec_push(
				&any,
				literal_not(
					m->there[other->at[other->count - 1]]));
	}
	if (e->kind == CAUSAL_BARRIER_LEAVE)
		add_missing(m, event, &any);
	vec_push(&any, literal_not(stop));
	solver_clause(m->solver, any.at, any.count);
	vec_free(&any);
}

/* The literal that the thread stops before this event. */
static literal add_stop(struct causal *m, uint32_t event)
{
	literal stop = solver_variable(m->solver, LITERAL_TRUE);
	uint32_t before = event_before(m, event);

	if (before != CAUSAL_NOBODY)
		causal_clause(m, literal_not(stop), m->present[before]);
	causal_clause(m, literal_not(stop), literal_not(m->there[event]));
	need_cause(m, event, stop);
	return stop;
}

/* The literal that a thread was not born, or TRUE's opposite. */
static literal unborn(const struct causal *m, uint32_t thread)
{
	for (uint32_t i = 0; i < m->trace->events.count; i++) {
		const struct causal_event *e = &m->trace->events.at[i];

		if (e->kind == CAUSAL_CREATE && e->object == thread)
			return literal_not(m->present[i]);
	}
	return LITERAL_FALSE;
}

static void add_thread(struct causal *m, uint32_t thread)
{
	const struct order_chain *own = &m->must.chain[thread];
	struct literals any = { 0 };
	uint32_t last;

	if (!own->count)
		return;
	last = own->at[own->count - 1];
	if (m->trace->events.at[last].kind == CAUSAL_END ||
	    causal_waits(m->trace, thread))
		vec_push(&any, m->present[last]);
	vec_push(&any, unborn(m, thread));
	for (size_t i = 0; i < own->count; i++) {
		uint32_t e = own->at[i];

		if (!can_wait(&m->trace->events.at[e]))
			continue;
		vec_push(&any, add_stop(m, e));
		vec_push(&m->stops,
			 (struct causal_stop){ e, any.at[any.count - 1] });
	}
	vec_push(&any, literal_not(m->stuck));
	solver_clause(m->solver, any.at, any.count);
	vec_free(&any);
}

/* Threads that have all come to their ends wait for nothing. */
static void need_some_stop(struct causal *m)
{
	struct literals any = { 0 };

	for (size_t i = 0; i < m->stops.count; i++)
		vec_push(&any, m->stops.at[i].l);
	vec_push(&any, literal_not(m->stuck));
	solver_clause(m->solver, any.at, any.count);
	vec_free(&any);
}

/* Not these stops together again. */
static void exclude_stops(struct causal *m)
{
	struct literals any = { 0 };

	for (size_t i = 0; i < m->stops.count; i++)
		if (solver_value(m->solver, m->stops.at[i].l))
			vec_push(&any, literal_not(m->stops.at[i].l));
	vec_push(&any, literal_not(m->stuck));
	solver_clause(m->solver, any.at, any.count);
	vec_free(&any);
}

enum solver_answer causal_ask_stuck(struct causal *m, uint64_t limit,
				    struct causal_schedule *out)
{
	enum solver_answer answer;

	out->count = 0;
	if (!m->has_stops) {
		m->has_stops = true;
		m->stuck = solver_variable(m->solver, LITERAL_TRUE);
		for (uint32_t t = 0; t < m->trace->threads; t++)
			add_thread(m, t);
		need_some_stop(m);
	}
	answer = causal_solve(m, m->stuck, CAUSAL_NOBODY, limit);
	if (answer != SOLVER_YES)
		return answer;
	answer = causal_take_state(m, out);
	exclude_stops(m);
	return answer;
}
