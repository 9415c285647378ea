/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures that a run implies although it held: worked out without a run, then
 * shown by one.
 *
 * Finds: states in which every thread waits; two conflicting accesses that can
 * be next at once; an access that can come after its block was freed; reads of
 * pointers that can get null, and reads before checks that can get new values,
 * which are asked for before others.
 * Misses: pairs of the same two places beyond the nearest few of each run;
 * frees of blocks too large to be told; checks in functions without a symbol.
 * Wrong when: never by itself. A prediction counts as confirmed only where the
 * run did it.
 */
#include "explore/mcm_inner.h"

#include "format/rng.h"

void mcm_expect(const struct past *p, struct explore_job *job)
{
	uint32_t *next = xcalloc(p->t->thread_count + 1, sizeof(*next));

	for (size_t i = 0; i < job->order.count; i++) {
		uint32_t n = job->order.at[i].thread;

		vec_push(&job->expected, p->t->threads[n].lines.at[next[n]++]);
	}
	free(next);
}

/* The state that a schedule ends in: how far each thread has come. */
static uint64_t end_of(const struct past *p, const struct explore_job *job)
{
	uint32_t *counts = xcalloc(p->t->thread_count + 1, sizeof(*counts));
	uint64_t h = 1;

	for (size_t i = 0; i < job->order.count; i++)
		counts[job->order.at[i].thread]++;
	for (uint32_t n = 0; n < p->t->thread_count; n++)
		h = rng_mix(h ^ p->t->threads[n].history.at[counts[n]]);
	free(counts);
	return h;
}

/* Can all threads of this run come to wait? True: here is how. Lets the lock
 * go. */
static bool ask_stuck(struct mcm *s, struct past *p, struct explore_job *job)
{
	struct causal_schedule schedule = { 0 };
	enum solver_answer answer;
	double began = mcm_now();
	uint32_t *known;

	p->is_busy = true;
	pthread_mutex_unlock(&s->x->lock);
	answer = causal_ask_stuck(p->model, CONFLICTS, &schedule);
	pthread_mutex_lock(&s->x->lock);
	p->is_busy = false;
	mcm_count(s, mcm_now() - began, answer);
	p->stuck = answer == SOLVER_YES ? p->stuck + 1 : STUCK_MOST;
	p->whole->has_doubts |= answer != SOLVER_NO;
	if (answer == SOLVER_YES)
		trace_model_order(p->m, p->t, &schedule, 1, &job->order);
	vec_free(&schedule);
	if (answer != SOLVER_YES)
		return false;
	known = keymap_at(&s->ends, end_of(p, job), 0);
	if (*known) {
		vec_free(&job->order);
		return false;
	}
	*known = 1;
	job->prediction = predictions_add(&s->x->result->predicted,
					  PREDICTED_DEADLOCK, 0, 0,
					  p->whole->index);
	return true;
}

/* ---- races, blocks that are freed ---- */

static uint32_t site_of(const struct past *p, uint32_t event)
{
	return p->t->lines[p->m->lines.at[event]].site;
}

/* Asks whether both are next at once, or the first is after the second. Lets
 * the lock go. */
static enum solver_answer ask_conflict(struct mcm *s, struct past *p,
				       const struct conflict *c,
				       struct causal_schedule *schedule)
{
	const uint32_t both[] = { c->a, c->b };
	struct causal_state wanted = { .next = both, .next_count = 2 };
	enum solver_answer answer;
	double began = mcm_now();

	if (c->kind == PREDICTED_FREED)
		wanted = (struct causal_state){ &both[1], both, 1, 1 };
	if (causal_is_hopeless(p->model, &wanted))
		return SOLVER_NO;
	p->is_busy = true;
	pthread_mutex_unlock(&s->x->lock);
	answer = causal_ask_state(p->model, &wanted, CONFLICTS, schedule);
	pthread_mutex_lock(&s->x->lock);
	p->is_busy = false;
	mcm_count(s, mcm_now() - began, answer);
	return answer;
}

/* Has its thread nothing to do after it? Then it ends without a choice. */
static bool is_last(const struct past *p, uint32_t event)
{
	uint32_t line = p->m->lines.at[event], place;
	const struct run_thread *h = &p->t->threads[p->t->lines[line].thread];

	run_trace_place(p->t, line, &place);
	return place + 1 < h->lines.count &&
	       p->t->lines[h->lines.at[place + 1]].kind == EVENT_THREAD_END;
}

/* Of two racing accesses the one to be made first: the other thread must stop
 * right behind it, or go on as it did in the trace. */
static uint32_t first_of(const struct past *p, const struct conflict *c)
{
	if (is_last(p, c->a) && !is_last(p, c->b))
		return c->b;
	if (is_last(p, c->a) && !causal_writes(&p->m->causal.events.at[c->a]))
		return c->b;
	return c->a;
}

/* A whole step goes first; of the last, what it begins with says enough. */
static void step_push(const struct past *p, uint32_t event, bool is_whole,
		      struct causal_schedule *schedule)
{
	const struct causal_trace *t = &p->m->causal;

	event = causal_step_of(t, event);
	do
		vec_push(schedule,
			 (struct causal_step){ event, CAUSAL_NOBODY });
	while (++event < t->events.count && t->events.at[event].bound &&
	       is_whole);
}

/* The run that brings them together. */
static void conflict_job(struct mcm *s, struct past *p,
			 const struct conflict *c,
			 struct causal_schedule *schedule,
			 struct explore_job *job)
{
	struct origin *origin = xcalloc(1, sizeof(*origin));
	size_t before = schedule->count;
	uint32_t last = c->a;

	if (c->kind == PREDICTED_RACE) {
		uint32_t first = first_of(p, c);

		step_push(p, first, true, schedule);
		last = first == c->a ? c->b : c->a;
	}
	step_push(p, last, false, schedule);
	job->open = (uint32_t)(schedule->count - before);
	trace_model_order(p->m, p->t, schedule, job->open, &job->order);
	mcm_expect(p, job);
	job->model = p->t;
	job->prediction = predictions_add(&s->x->result->predicted, c->kind,
					  site_of(p, c->a), site_of(p, c->b),
					  p->whole->index);
	*origin = (struct origin){ .past = p };
	job->from = origin;
	p->flying++;
}

static bool is_predicted(const struct mcm *s, const struct past *p,
			 const struct conflict *c)
{
	const struct predictions *all = &s->x->result->predicted;
	uint32_t a = site_of(p, c->a), b = site_of(p, c->b);

	return predictions_has(all, c->kind, a, b) ||
	       predictions_has(all, c->kind, b, a);
}

static bool ask_next_conflict(struct mcm *s, struct past *p,
			      struct explore_job *job)
{
	const struct conflict *c = &p->conflicts.at[p->conflict_at++];
	struct causal_schedule schedule = { 0 };
	enum solver_answer answer = SOLVER_UNKNOWN;

	if (!is_predicted(s, p, c))
		answer = ask_conflict(s, p, c, &schedule);
	p->whole->has_doubts |= answer != SOLVER_NO;
	if (answer == SOLVER_YES)
		conflict_job(s, p, c, &schedule, job);
	vec_free(&schedule);
	return answer == SOLVER_YES;
}

/* ---- all of it ---- */

bool mcm_has_failures(const struct mcm *s, const struct past *p)
{
	return p->conflict_at < p->conflicts.count ||
	       (p->stuck < STUCK_MOST && !s->x->o->no_deadlocks);
}

bool mcm_ask_failure(struct mcm *s, struct past *p, struct explore_job *job)
{
	if (p->conflict_at < p->conflicts.count)
		return ask_next_conflict(s, p, job);
	return ask_stuck(s, p, job);
}

/* ---- values ---- */

enum question_hint mcm_hint(const struct mcm *s, const struct past *p,
			    const struct causal_target *target)
{
	const struct traced *e = &p->t->lines[p->m->lines.at[target->event]];

	if (!traced_is_access(e) || !traced_reads(e))
		return HINT_NONE;
	if (!traced_writes(e) && e->other != NO_THREAD &&
	    trace_model_is_null(p->m, p->t, target))
		return HINT_NULL;
	return keymap_find(&s->x->checks, e->site, 0) ? HINT_CHECK : HINT_NONE;
}

uint32_t mcm_predict(struct mcm *s, const struct past *p,
		     const struct question *q)
{
	struct predictions *all = &s->x->result->predicted;
	uint32_t line = p->m->lines.at[q->target->event];

	if (q->hint == HINT_NULL)
		return predictions_add(all, PREDICTED_NULL, q->site,
				       p->t->lines[line].other,
				       p->whole->index);
	if (q->hint == HINT_CHECK)
		return predictions_add(all, PREDICTED_CHECK, q->site, 0,
				       p->whole->index);
	return NO_PREDICTION;
}
