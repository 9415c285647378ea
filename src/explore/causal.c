/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/causal_model.h"

#include <string.h>

#include "base/log.h"
#include "explore/simulate.h"

literal causal_before(struct causal *m, uint32_t a, uint32_t b)
{
	literal l;

	if (must_be_before(m, a, b))
		return LITERAL_TRUE;
	if (must_be_before(m, b, a))
		return LITERAL_FALSE;
	l = solver_before(m->solver, a, b);
	solver_prefer(m->solver, a < b ? l : literal_not(l));
	return l;
}

void causal_at_most_one(struct causal *m, const struct literals *l)
{
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = 0; k < i; k++)
			causal_clause(m, literal_not(l->at[i]),
				      literal_not(l->at[k]));
}

void causal_edge(struct causal *m, uint32_t a, uint32_t b)
{
	CHECK(!must_be_before(m, b, a));
	order_graph_assert(&m->must, a, b, LITERAL_TRUE);
	solver_edge(m->solver, a, b);
	causal_clause(m, literal_not(m->there[b]), m->present[a]);
}

static void add_events(struct causal *m)
{
	const struct causal_trace *t = m->trace;
	uint32_t *last = xmalloc((t->threads + 1) * sizeof(*last));

	memset(last, 0xff, (t->threads + 1) * sizeof(*last));
	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];
		literal present = solver_variable(m->solver, LITERAL_TRUE);
		literal there = present;

		if (causal_varies(e)) {
			there = solver_variable(m->solver, LITERAL_TRUE);
			causal_clause(m, literal_not(present), there);
		}
		m->present[i] = present;
		m->there[i] = there;
		solver_event(m->solver, e->thread, there);
		order_graph_event(&m->must, e->thread);
		if (last[e->thread] != CAUSAL_NOBODY)
			causal_clause(m, literal_not(there),
				      m->present[last[e->thread]]);
		last[e->thread] = i;
	}
	free(last);
}

/* Creation before the first event, the last event before a join. */
static void add_lives(struct causal *m)
{
	const struct causal_trace *t = m->trace;

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];
		const struct order_chain *other;

		if (e->kind != CAUSAL_CREATE && e->kind != CAUSAL_JOIN)
			continue;
		other = &m->must.chain[e->object];
		if (!other->count)
			continue;
		if (e->kind == CAUSAL_CREATE)
			causal_edge(m, i, other->at[0]);
		else
			causal_edge(m, other->at[other->count - 1], i);
	}
}

/* What is given takes place, before all the rest. */
static void add_given(struct causal *m)
{
	const struct causal_event *e = m->trace->events.at;

	for (uint32_t i = 0; i < m->trace->given; i++) {
		causal_clause(m, m->present[i]);
		if (i + 1 < m->trace->given)
			causal_edge(m, i, i + 1);
	}
	for (uint32_t i = m->trace->given;
	     m->trace->given && i < m->trace->events.count; i++)
		if (!e[i].position ||
		    m->must.chain[e[i].thread].at[e[i].position - 1] <
			    m->trace->given)
			causal_edge(m, m->trace->given - 1, i);
}

static void find_sources(struct causal *m)
{
	const struct causal_trace *t = m->trace;

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];

		for (uint32_t k = 0; k < e->parts && causal_writes(e); k++) {
			const struct causal_part *p = &t->parts.at[e->part + k];
			size_t list =
				(size_t)p->location * t->threads + e->thread;

			vec_push(&m->sources[list],
				 (struct causal_source){ i, p->becomes });
		}
	}
}

struct causal *causal_new(const struct causal_trace *t, enum solver_kind kind,
			  struct err *err)
{
	struct solver *solver = solver_new(kind, t->threads, err);
	struct causal *m;

	if (!solver)
		return NULL;
	m = xcalloc(1, sizeof(*m));
	m->trace = t;
	m->solver = solver;
	m->present = xcalloc(t->events.count + 1, sizeof(*m->present));
	m->there = xcalloc(t->events.count + 1, sizeof(*m->there));
	m->sources =
		xcalloc(t->initial.count * t->threads + 1, sizeof(*m->sources));
	m->kept = xcalloc(t->parts.count + 1, sizeof(*m->kept));
	m->needs = xcalloc(t->events.count * t->threads + 1, sizeof(*m->needs));
	m->before =
		xcalloc(t->events.count * t->threads + 1, sizeof(*m->before));
	order_graph_init(&m->must, t->threads);
	add_events(m);
	add_given(m);
	add_lives(m);
	causal_add_barriers(m);
	find_sources(m);
	causal_find_needs(m);
	causal_add_reads(m);
	causal_add_locks(m);
	causal_add_waits(m);
	causal_add_semaphores(m);
	causal_add_tries(m);
	causal_add_steps(m);
	return m;
}

void causal_free(struct causal *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->trace->initial.count * m->trace->threads; i++)
		vec_free(&m->sources[i]);
	for (size_t i = 0; i < m->trace->parts.count; i++)
		vec_free(&m->kept[i]);
	for (size_t i = 0; i < m->targets.count; i++)
		free(m->targets.at[i].values);
	solver_free(m->solver);
	order_graph_done(&m->must);
	free(m->present);
	free(m->there);
	free(m->sources);
	free(m->kept);
	free(m->needs);
	free(m->before);
	vec_free(&m->matches);
	vec_free(&m->tokens);
	vec_free(&m->takers);
	vec_free(&m->sections);
	vec_free(&m->bound);
	vec_free(&m->stops);
	vec_free(&m->targets);
	vec_free(&m->scratch);
	free(m);
}

/* ---- Questions ---- */

/* The values that a part may get, the one it had first. */
static struct causal_values values_of(const struct causal *m, uint32_t event,
				      const struct causal_part *part)
{
	struct causal_values out = { 0 };

	vec_push(&out, part->was);
	causal_add_values(m, event, part, &out);
	return out;
}

/* Counts in the digits that the lists of values are; false: back at zero. */
static bool next_choice(const struct causal_values *lists, size_t *digits,
			uint32_t parts)
{
	for (uint32_t i = 0; i < parts; i++) {
		if (++digits[i] < lists[i].count)
			return true;
		digits[i] = 0;
	}
	return false;
}

/* An access of many parts has more combinations than can be asked for. */
enum { CHOICES_MOST = 1024 };

/* Every combination of values but the one it had. */
static void add_targets(struct causal *m, uint32_t event)
{
	const struct causal_event *e = &m->trace->events.at[event];
	struct causal_values *lists = xcalloc(e->parts + 1, sizeof(*lists));
	size_t *digits = xcalloc(e->parts + 1, sizeof(*digits)), made = 0;

	for (uint32_t i = 0; i < e->parts; i++)
		lists[i] =
			values_of(m, event, &m->trace->parts.at[e->part + i]);
	while (next_choice(lists, digits, e->parts)) {
		if (++made > CHOICES_MOST) {
			m->counts.cut++;
			break;
		}
		uint64_t *values = xcalloc(e->parts, sizeof(*values));

		for (uint32_t i = 0; i < e->parts; i++)
			values[i] = lists[i].at[digits[i]];
		vec_push(&m->targets, (struct causal_target){ event, values });
	}
	for (uint32_t i = 0; i < e->parts; i++)
		vec_free(&lists[i]);
	free(lists);
	free(digits);
}

/* Could somebody else have been the last at the barrier? Could the try have
 * gone the other way? */
static void add_other_target(struct causal *m, uint32_t event)
{
	const struct causal_event *e = &m->trace->events.at[event];
	uint64_t *values;

	if (causal_tries(e) ? !causal_may_turn(m, event) :
			      causal_turned(m->trace, event) == CAUSAL_NOBODY)
		return;
	values = xcalloc(1, sizeof(*values));
	*values = !causal_failed(e);
	vec_push(&m->targets, (struct causal_target){ event, values });
}

size_t causal_targets(struct causal *m, const struct causal_target **targets)
{
	size_t events = m->has_targets ? 0 : m->trace->events.count;

	for (uint32_t i = 0; i < events; i++)
		if (causal_reads(&m->trace->events.at[i]))
			add_targets(m, i);
		else
			add_other_target(m, i);
	m->has_targets = true;
	*targets = m->targets.at;
	return m->targets.count;
}

uint32_t causal_woken_by(const struct causal *m, uint32_t signal)
{
	for (size_t i = 0; i < m->matches.count; i++) {
		const struct causal_match *match = &m->matches.at[i];

		if (match->signal == signal &&
		    solver_value(m->solver, match->l))
			return m->trace->events.at[match->wait].thread;
	}
	return CAUSAL_NOBODY;
}

/* Says where each part gets its value from, under the literal q; the literals
 * made for it are added to `made`. */
static void add_question(struct causal *m, const struct causal_target *t,
			 literal q, struct literals *made)
{
	const struct causal_event *e = &m->trace->events.at[t->event];

	causal_clause(m, literal_not(q), m->there[t->event]);
	causal_clause(m, literal_not(q), literal_not(m->present[t->event]));
	if (e->kind == CAUSAL_BARRIER_ENTER)
		causal_add_arrival(m, t->event, q);
	if (causal_tries(e))
		causal_add_try(m, t->event, q, made);
	for (uint32_t i = 0; i < e->parts; i++) {
		const struct causal_part *p = &m->trace->parts.at[e->part + i];
		size_t first = made->count;

		if (t->values[i] == p->was)
			for (size_t k = 0; k < m->kept[e->part + i].count; k++)
				vec_push(made, m->kept[e->part + i].at[k]);
		else
			causal_add_sources(m, t->event, p, t->values[i], made);
		vec_push(made, literal_not(q));
		solver_clause(m->solver, made->at + first, made->count - first);
		made->count = t->values[i] == p->was ? first : made->count - 1;
	}
}

/* The literal that an event takes place before the read of the question. */
static literal add_earlier(struct causal *m, uint32_t event, uint32_t read)
{
	literal x = solver_variable(m->solver, LITERAL_TRUE);

	causal_clause(m, literal_not(x), m->present[event]);
	causal_clause(m, literal_not(x), causal_before(m, event, read));
	return x;
}

/* Some other thread must have gone further than it has in common with that
 * run. */
static void exclude_run(struct causal *m, const struct causal_target *t,
			literal q, const uint32_t *shared,
			struct literals *made)
{
	uint32_t own = m->trace->events.at[t->event].thread;
	size_t first = made->count;

	for (uint32_t i = 0; i < m->trace->threads; i++)
		if (i != own && shared[i] < m->must.chain[i].count)
			vec_push(made,
				 add_earlier(m, m->must.chain[i].at[shared[i]],
					     t->event));
	vec_push(made, literal_not(q));
	solver_clause(m->solver, made->at + first, made->count - first);
	made->count--;
}

/* The question is over: its literals are false from now on, so that its
 * clauses can be thrown away. */
static void retire_question(struct causal *m, literal q,
			    const struct literals *made)
{
	causal_clause(m, literal_not(q));
	for (size_t i = 0; i < made->count; i++)
		causal_clause(m, literal_not(made->at[i]));
}

static enum solver_answer believe(struct causal *m,
				  const struct causal_target *t,
				  const struct causal_schedule *s)
{
	struct err err;

	if (!simulate(m->trace, s->at, s->count, t->values, &err))
		return SOLVER_YES;
	log_error("a schedule for event %u is wrong: %s", t->event, err.text);
	m->counts.wrong++;
	return SOLVER_UNKNOWN;
}

static void count_answer(struct causal_counts *c, enum solver_answer answer)
{
	c->asked++;
	c->yes += answer == SOLVER_YES;
	c->no += answer == SOLVER_NO;
	c->unknown += answer == SOLVER_UNKNOWN;
}

enum solver_answer causal_ask(struct causal *m, const struct causal_target *t,
			      const struct causal_known *known, uint64_t limit,
			      struct causal_schedule *out)
{
	literal q = solver_variable(m->solver, LITERAL_TRUE);
	enum solver_answer answer;

	m->scratch.count = 0;
	add_question(m, t, q, &m->scratch);
	for (size_t i = 0; known && i < known->runs; i++)
		exclude_run(m, t, q, known->shared + i * m->trace->threads,
			    &m->scratch);
	answer = causal_solve(m, q, t->event, limit);
	out->count = 0;
	if (answer == SOLVER_YES) {
		causal_take(m, t->event, causal_turned(m->trace, t->event),
			    out);
		answer = believe(m, t, out);
	}
	retire_question(m, q, &m->scratch);
	count_answer(&m->counts, answer);
	return answer;
}

const struct causal_counts *causal_counts(const struct causal *m)
{
	return &m->counts;
}
