/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States that a trace implies: some events have taken place, and some threads
 * have come just so far. Two accesses that are next at once race; an access
 * that is next when its block has been freed is a use after free. What is next
 * need not have the result it had in the trace: nothing depends on it yet.
 *
 * A thread has come so far when all that must be before its event has taken
 * place and the event has not. Orders matter only among what takes place. Of a
 * step all events are next at once.
 */
#include "explore/causal_model.h"

#include "base/log.h"
#include "explore/simulate.h"

enum solver_answer causal_take_state(struct causal *m,
				     struct causal_schedule *out)
{
	struct err err;

	causal_take(m, CAUSAL_NOBODY, CAUSAL_NOBODY, out);
	if (!simulate(m->trace, out->at, out->count, NULL, &err))
		return SOLVER_YES;
	log_error("a schedule for a state is wrong: %s", err.text);
	m->counts.wrong++;
	return SOLVER_UNKNOWN;
}

bool causal_is_hopeless(const struct causal *m, const struct causal_state *s)
{
	for (size_t i = 0; i < s->next_count; i++) {
		for (size_t k = 0; k < s->next_count; k++)
			if (i != k &&
			    must_be_before(m, s->next[i],
					   causal_step_of(m->trace,
							  s->next[k])))
				return true;
		for (size_t k = 0; k < s->done_count; k++)
			if (must_be_before(m, s->next[i], s->done[k]))
				return true;
	}
	return false;
}

/* Under q: the thread stands before this event. */
static void need_next(struct causal *m, uint32_t event, literal q)
{
	const struct order_graph *g = &m->must;
	uint32_t own = m->trace->events.at[event].thread;

	for (uint32_t t = 0; t < m->trace->threads; t++) {
		uint32_t count = g->clock.at[(size_t)event * g->chains + t];

		/* Its own thread's clock counts the event itself. */
		if (t == own)
			count = m->trace->events.at[event].position;
		if (count)
			causal_clause(m, literal_not(q),
				      m->present[g->chain[t].at[count - 1]]);
	}
	causal_clause(m, literal_not(q), literal_not(m->there[event]));
}

enum solver_answer causal_ask_state(struct causal *m,
				    const struct causal_state *s,
				    uint64_t limit, struct causal_schedule *out)
{
	literal q = solver_variable(m->solver, LITERAL_TRUE);
	enum solver_answer answer;

	out->count = 0;
	for (size_t i = 0; i < s->next_count; i++)
		need_next(m, causal_step_of(m->trace, s->next[i]), q);
	for (size_t i = 0; i < s->done_count; i++)
		causal_clause(m, literal_not(q), m->present[s->done[i]]);
	answer = causal_solve(m, q, CAUSAL_NOBODY, limit);
	if (answer == SOLVER_YES)
		answer = causal_take_state(m, out);
	causal_clause(m, literal_not(q));
	return answer;
}
