/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of several events. Of two steps that conflict anywhere one comes before
 * the other; what does not conflict might as well come before all of a step, or
 * behind, and is put there when a schedule is written down. A step takes place
 * as a whole, unless one of its events has another result: then nothing is
 * known of what comes behind.
 */
#include "explore/causal_model.h"

/* ---- what may not come between ---- */

static bool is_access(const struct causal_event *e)
{
	return causal_reads(e) || causal_writes(e);
}

static bool share_location(const struct causal_trace *t,
			   const struct causal_event *a,
			   const struct causal_event *b)
{
	for (uint32_t i = 0; i < a->parts; i++)
		for (uint32_t k = 0; k < b->parts; k++)
			if (t->parts.at[a->part + i].location ==
			    t->parts.at[b->part + k].location)
				return true;
	return false;
}

/* Of synchronisation everything counts: there is little of it in steps. */
static bool conflict(const struct causal_trace *t, const struct causal_event *a,
		     const struct causal_event *b)
{
	if (is_access(a) != is_access(b))
		return false;
	return !is_access(a) || ((causal_writes(a) || causal_writes(b)) &&
				 share_location(t, a, b));
}

/* From `begin` on; a step may be of one event. */
struct step {
	uint32_t begin, end;
};

static struct step step_at(const struct causal_trace *t, uint32_t begin)
{
	struct step s = { begin, begin + 1 };

	while (s.end < t->events.count && t->events.at[s.end].bound)
		s.end++;
	return s;
}

static bool steps_conflict(const struct causal_trace *t, struct step a,
			   struct step b)
{
	for (uint32_t i = a.begin; i < a.end; i++)
		for (uint32_t k = b.begin; k < b.end; k++)
			if (conflict(t, &t->events.at[i], &t->events.at[k]))
				return true;
	return false;
}

/* Nothing of the other is between two events of s. */
static void keep_out(struct causal *m, struct step other, struct step s)
{
	for (uint32_t k = other.begin; k < other.end; k++)
		for (uint32_t i = s.begin + 1; i < s.end; i++)
			causal_clause(m, literal_not(m->there[i]),
				      causal_before(m, k, i - 1),
				      causal_before(m, i, k));
}

static void add_step(struct causal *m, struct step s)
{
	const struct causal_trace *t = m->trace;
	struct step other;

	for (uint32_t i = 0; i < t->events.count; i = other.end) {
		other = step_at(t, i);
		if (t->events.at[i].thread != t->events.at[s.begin].thread &&
		    steps_conflict(t, other, s))
			keep_out(m, other, s);
	}
	for (uint32_t i = s.begin + 1; i < s.end; i++) {
		literal l = solver_variable(m->solver, LITERAL_TRUE);

		vec_push(&m->bound, (struct causal_bound){ i, l });
		causal_clause(m, literal_not(m->present[i - 1]), m->present[i],
			      l);
	}
}

void causal_add_steps(struct causal *m)
{
	const struct causal_trace *t = m->trace;
	struct step s;

	for (uint32_t i = 0; i < t->events.count; i = s.end) {
		s = step_at(t, i);
		if (s.end > i + 1)
			add_step(m, s);
	}
}

enum solver_answer causal_solve(struct causal *m, literal q, uint32_t target,
				uint64_t limit)
{
	struct literals assumed = { 0 };
	enum solver_answer answer;

	vec_push(&assumed, q);
	for (size_t i = 0; i < m->bound.count; i++)
		if (m->bound.at[i].event != target)
			vec_push(&assumed, literal_not(m->bound.at[i].l));
	answer = solver_solve(m->solver, assumed.at, assumed.count, limit);
	vec_free(&assumed);
	return answer;
}

/* ---- schedules ---- */

struct taking {
	const struct causal *m;
	uint32_t turned;
	uint32_t target_step; /* where the target's step begins */
	struct causal_schedule *out;
};

static void take(struct taking *k, uint32_t event)
{
	const struct causal *m = k->m;
	uint32_t wakes = CAUSAL_NOBODY;

	if (event != k->turned && !solver_value(m->solver, m->present[event]))
		return;
	if (m->trace->events.at[event].kind == CAUSAL_SIGNAL)
		wakes = causal_woken_by(m, event);
	vec_push(k->out, (struct causal_step){ event, wakes });
}

/* With all that is bound to it; what is bound is not taken by itself. */
static void take_step(struct taking *k, uint32_t event)
{
	const struct causal_trace *t = k->m->trace;

	if (t->events.at[event].bound || event == k->target_step)
		return;
	take(k, event);
	while (++event < t->events.count && t->events.at[event].bound)
		take(k, event);
}

void causal_take(const struct causal *m, uint32_t target, uint32_t turned,
		 struct causal_schedule *out)
{
	const uint32_t *sequence = solver_sequence(m->solver);
	struct taking k = { m, turned, target, out };

	out->count = 0;
	if (target != CAUSAL_NOBODY)
		k.target_step = causal_step_of(m->trace, target);
	for (size_t i = 0; i < m->trace->events.count && sequence[i] != target;
	     i++)
		take_step(&k, sequence[i]);
	for (uint32_t i = k.target_step; target != CAUSAL_NOBODY && i < target;
	     i++)
		take(&k, i);
	if (target != CAUSAL_NOBODY)
		vec_push(out, (struct causal_step){ target, CAUSAL_NOBODY });
}
