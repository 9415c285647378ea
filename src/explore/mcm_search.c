/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality: each run is asked, read by read, what else a read could
 * have got; each answer is the next run.
 *
 * A read that can get a value is asked for again after each run in which it got
 * it, until the answer is no: then it has met everything that the other threads
 * can have done by then. So when no run has an open question, every
 * combination of what threads can read has been run.
 *
 * Questions whose value was never seen at that place of code come first, then
 * those whose place was not asked for before, of runs with nothing under way;
 * of equal ones those of the oldest run.
 *
 * Finds: every combination of what threads read, each in one run.
 * Misses: what depends on more than what threads read (the order of outputs,
 * times).
 * Wrong when: the causal model is (causal.h), which a simulator checks and the
 * run itself.
 */
#include "explore/mcm_inner.h"

#include <string.h>
#include <time.h>

#include "format/rng.h"

static void *mcm_new(struct explorer *x)
{
	struct mcm *s = xcalloc(1, sizeof(*s));

	s->x = x;
	return s;
}

static void past_free(struct past *p)
{
	if (!p)
		return;
	causal_free(p->model);
	trace_model_free(p->m, p->t);
	if (!--p->whole->windows) {
		run_trace_free(p->t);
		free(p->whole);
	}
	vec_free(&p->questions);
	ranking_done(&p->urgent);
	vec_free(&p->conflicts);
	free(p);
}

static void mcm_free(void *search)
{
	struct mcm *s = search;

	for (size_t i = 0; i < s->pasts.count; i++)
		past_free(s->pasts.at[i]);
	vec_free(&s->pasts);
	known_runs_done(&s->known);
	keymap_done(&s->seen);
	keymap_done(&s->asked);
	keymap_done(&s->ends);
	free(s);
}

double mcm_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- questions of a run ---- */

enum {
	URGENT_NEW = 1000000, /* this place has never read that */
	URGENT_CHECK,	      /* nor has a check seen it */
	URGENT_NULL,	      /* and it would be used as an address */
};

static const uint32_t urgencies[] = {
	[HINT_NONE] = URGENT_NEW,
	[HINT_CHECK] = URGENT_CHECK,
	[HINT_NULL] = URGENT_NULL,
};

static uint64_t novelty_of(uint32_t site, uint64_t got)
{
	return rng_mix(got ^ rng_mix(site));
}

static void question_add(const struct mcm *s, struct past *p,
			 const struct causal_target *target)
{
	uint32_t line = p->m->lines.at[target->event], place;
	const struct traced *e = &p->t->lines[line];
	struct question q = { .target = target, .site = e->site };

	if (!trace_model_may_get(p->m, p->t, target) ||
	    !run_trace_place(p->t, line, &place))
		return;
	q.got = trace_model_read(p->m, p->t, target);
	q.name = known_read(e->thread,
			    p->t->threads[e->thread].history.at[place], q.got);
	q.novelty = novelty_of(e->site, q.got);
	q.hint = (uint8_t)mcm_hint(s, p, target);
	ranking_add(&p->urgent, (uint32_t)p->questions.count,
		    urgencies[q.hint]);
	vec_push(&p->questions, q);
}

/* The model of a run, and what can be asked. Works on the run alone. */
static int past_prepare(const struct mcm *s, struct past *p)
{
	const struct explore_options *o = s->x->o;
	const struct causal_target *targets;
	struct err err;
	size_t count;

	p->m = trace_model_new(p->t, p->begin, o->window);
	p->model = causal_new(&p->m->causal, o->solver, &err);
	if (!p->model)
		return -1;
	count = causal_targets(p->model, &targets);
	for (size_t i = 0; i < count; i++)
		question_add(s, p, &targets[i]);
	conflicts_find(p->m, p->t, o->races, &p->conflicts);
	p->is_ready = true;
	return 0;
}

/* Nobody will ask any more. */
static void past_close(struct mcm *s, size_t n)
{
	struct past *p = s->pasts.at[n];

	/* Who goes on from here need not ask about this run. */
	if (s->x->o->state && p->whole->windows == 1 && !p->whole->has_doubts)
		s->x->made.runs.at[p->whole->made].done =
			explorer_done_mark(s->x, run_trace_class(p->t));
	past_free(p);
	s->pasts.at[n] = NULL;
	while (s->first < s->pasts.count && !s->pasts.at[s->first])
		s->first++;
}

/* ---- which one ---- */

/* It only ever falls: places are asked for, values are seen. Asking is counted
 * by powers of two, or each answer would move all questions of its place. */
static uint32_t urgency(const struct mcm *s, const struct question *q)
{
	uint32_t asked = keymap_find(&s->asked, q->site, 0);

	if (!keymap_find(&s->seen, q->novelty, 0))
		return asked ? URGENT_NEW : urgencies[q->hint];
	return 1000 - (uint32_t)(31 - __builtin_clz(asked + 1));
}

static struct question *most_urgent(const struct mcm *s, struct past *p,
				    uint32_t *best)
{
	const struct ranked *first;

	*best = 0;
	while ((first = ranking_first(&p->urgent))) {
		const struct question *q = &p->questions.at[first->number];

		if (q->is_done) {
			ranking_drop(&p->urgent);
			continue;
		}
		*best = urgency(s, q);
		if (*best == first->rank)
			break;
		ranking_lower(&p->urgent, *best);
	}
	if (!first)
		return NULL;
	/* A check comes first among the questions of its run; taken before
	 * those of older runs it cost twice the schedules on programs where
	 * nearly every read is checked. */
	if (*best == URGENT_CHECK)
		*best = URGENT_NEW;
	return &p->questions.at[first->number];
}

/* While a run is under way that this one asked for, another question of it may
 * well lead to the same: how the rest of a run goes nobody knows yet. A quarter
 * of the runs was in vain on a program with 924 classes, two at a time. */
static uint32_t behind(uint32_t u)
{
	return u < URGENT_NEW ? u / 2 + 1 : u;
}

/* A run that nobody asks at the moment, and its best question. `busy` is set
 * when there are others. */
static struct past *take_past(struct mcm *s, struct question **question,
			      bool *busy)
{
	enum { LOOKED_AT = 64 };
	struct past *found = NULL;
	uint32_t best = 0, looked = 0;

	for (size_t i = s->first; i < s->pasts.count && looked < LOOKED_AT;
	     i++) {
		struct past *p = s->pasts.at[i];
		struct question *q;
		uint32_t u;

		if (!p)
			continue;
		if (p->is_busy) {
			*busy = true;
			continue;
		}
		if (p->whole->was_done && !s->x->past_is_void) {
			past_close(s, i);
			continue;
		}
		looked++;
		if (!p->is_ready || mcm_has_failures(s, p)) {
			*question = NULL;
			return p;
		}
		q = most_urgent(s, p, &u);
		if (!q && p->flying) {
			*busy = true;
			continue;
		}
		if (!q) {
			past_close(s, i);
			continue;
		}
		if (p->flying)
			u = behind(u);
		if (u > best) {
			best = u;
			found = p;
			*question = q;
		}
	}
	return found;
}

/* ---- asking ---- */

struct vectors {
	uint32_t *at;
	size_t count, room;
};

/* Does a go at least as far as b in every thread but one? */
static bool covers(const uint32_t *a, const uint32_t *b, uint32_t threads,
		   uint32_t own)
{
	for (uint32_t i = 0; i < threads; i++)
		if (i != own && a[i] < b[i])
			return false;
	return true;
}

/* Adds a vector, and drops those that it makes superfluous. */
static void vector_add(struct vectors *v, const uint32_t *vector,
		       uint32_t threads, uint32_t own)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->count; i += threads)
		if (covers(&v->at[i], vector, threads, own))
			return;
	for (size_t i = 0; i < v->count; i += threads) {
		if (covers(vector, &v->at[i], threads, own))
			continue;
		memmove(&v->at[kept], &v->at[i], threads * sizeof(*v->at));
		kept += threads;
	}
	v->count = kept;
	for (uint32_t i = 0; i < threads; i++)
		vec_push(v, vector[i]);
}

/* How many events of the window can each thread make without leaving a run?
 * What follows the last one may leave it too. False: all schedules do. */
static bool shared_with(const struct past *p, const struct known_run *r,
			uint32_t own, uint32_t *vector)
{
	for (uint32_t i = 0; i < p->t->thread_count; i++) {
		uint32_t lines = 0;

		if (i < r->thread_count)
			lines = run_trace_shared(&p->t->threads[i],
						 &r->threads[i]);
		if (lines < p->m->given[i])
			return false;
		vector[i] = p->m->events_in[i][lines];
		if (i == own || !p->m->follows[i][lines])
			continue;
		if (!vector[i])
			return false;
		vector[i]--;
	}
	return true;
}

/* The runs in which the read has got that. The lock is held. */
static void find_known(struct mcm *s, const struct past *p,
		       const struct question *q, struct vectors *out)
{
	const struct causal_trace *t = &p->m->causal;
	uint32_t own = t->events.at[q->target->event].thread;
	uint32_t *vector = xcalloc(t->threads + 1, sizeof(*vector));

	out->count = 0;
	for (uint32_t n = keymap_find(&s->known.first, q->name, 0); n;
	     n = s->known.links.at[n - 1].next) {
		const struct known_run *r =
			&s->known.all.at[s->known.links.at[n - 1].run];

		if (!r->is_gone && shared_with(p, r, own, vector))
			vector_add(out, vector, t->threads, own);
	}
	free(vector);
}

void mcm_count(struct mcm *s, double ms, enum solver_answer answer)
{
	struct explore_result *r = s->x->result;

	r->asked++;
	r->yes += answer == SOLVER_YES;
	r->unknown += answer == SOLVER_UNKNOWN;
	r->solver_seconds += ms / 1e3;
	if (r->query_ms.count < TIMES_KEPT)
		vec_push(&r->query_ms, (float)ms);
}

/* A question of a run that is ours meanwhile; lets the lock go. */
static enum solver_answer ask(struct mcm *s, struct past *p,
			      const struct question *q,
			      struct causal_schedule *schedule)
{
	struct vectors known = { 0 };
	enum solver_answer answer;
	double began;

	find_known(s, p, q, &known);
	pthread_mutex_unlock(&s->x->lock);
	began = mcm_now();
	answer = causal_ask(
		p->model, q->target,
		&(struct causal_known){ known.at,
					known.count / p->m->causal.threads },
		CONFLICTS, schedule);
	began = mcm_now() - began;
	pthread_mutex_lock(&s->x->lock);
	mcm_count(s, began, answer);
	vec_free(&known);
	return answer;
}

/* ---- jobs ---- */

/* From here on nobody else asks for what this run will show. */
static uint32_t reserve(struct mcm *s, const struct past *p,
			const struct question *q, const struct explore_job *job)
{
	uint32_t *counts = xcalloc(p->t->thread_count + 1, sizeof(*counts));
	uint32_t own = p->m->causal.events.at[q->target->event].thread, n;

	for (size_t i = 0; i < job->order.count; i++)
		counts[job->order.at[i].thread]++;
	counts[own]--;
	if (job->turned != NO_LINE)
		counts[p->t->lines[job->turned].thread]--;
	n = known_runs_plan(&s->known, p->t, counts, own, q->got);
	free(counts);
	return n;
}

static void job_make(struct mcm *s, struct past *p, struct question *q,
		     const struct causal_schedule *schedule,
		     struct explore_job *job)
{
	struct origin *origin = xcalloc(1, sizeof(*origin));
	uint32_t turned = causal_turned(&p->m->causal, q->target->event);

	if (turned != CAUSAL_NOBODY)
		job->turned = p->m->lines.at[turned];
	trace_model_order(p->m, p->t, schedule, 1, &job->order);
	mcm_expect(p, job);
	job->model = p->t;
	job->target = q->got;
	job->prediction = mcm_predict(s, p, q);
	*origin = (struct origin){ p, q, reserve(s, p, q, job) };
	job->from = origin;
	p->flying++;
	++*keymap_at(&s->asked, q->site, 0);
	*keymap_at(&s->seen, q->novelty, 0) = 1;
}

static void prepare(struct mcm *s, struct past *p)
{
	uint32_t gaps = 0;

	p->is_busy = true;
	pthread_mutex_unlock(&s->x->lock);
	if (past_prepare(s, p) < 0)
		gaps = GAP_KIND;
	pthread_mutex_lock(&s->x->lock);
	if (p->model && causal_counts(p->model)->cut)
		gaps |= GAP_CHOICES;
	gaps |= p->m->gaps;
	s->x->gaps |= gaps;
	p->whole->has_doubts |= gaps != 0;
	p->is_busy = false;
}

static enum job_answer mcm_next(void *search, struct explore_job *job)
{
	struct mcm *s = search;
	struct causal_schedule schedule = { 0 };
	enum job_answer result = JOB_NONE;

	if (!s->is_begun) {
		s->is_begun = true;
		return JOB_READY;
	}
	while (!explorer_is_stopped(s->x) && !s->x->is_stale) {
		enum solver_answer answer;
		struct question *q = NULL;
		bool busy = false;
		struct past *p = take_past(s, &q, &busy);

		if (!p) {
			result = busy ? JOB_WAIT : JOB_NONE;
			break;
		}
		if (!p->is_ready) {
			prepare(s, p);
			continue;
		}
		if (!q) {
			if (!mcm_ask_failure(s, p, job))
				continue;
			result = JOB_READY;
			break;
		}
		p->is_busy = true;
		answer = ask(s, p, q, &schedule);
		p->is_busy = false;
		if (answer == SOLVER_YES) {
			job_make(s, p, q, &schedule, job);
			result = JOB_READY;
			break;
		}
		q->is_done = true;
		p->whole->has_doubts |= answer == SOLVER_UNKNOWN;
	}
	vec_free(&schedule);
	return result;
}

static void note_reads(struct mcm *s, const struct run_trace *t)
{
	for (uint32_t i = 0; i < t->line_count; i++) {
		uint64_t got = run_trace_read(t, i, NULL);

		if (got)
			*keymap_at(&s->seen, novelty_of(t->lines[i].site, got),
				   0) = 1;
	}
}

static void pasts_add(struct mcm *s, struct run_trace *t,
		      const struct explore_job *job)
{
	struct whole *w = xcalloc(1, sizeof(*w));
	struct trace_windows windows = { 0 };

	trace_model_windows(t, s->x->o->window, &windows);
	w->t = t;
	w->index = job->index;
	w->made = s->x->made.runs.count - 1;
	w->was_done = job->done != 0;
	w->windows = (uint32_t)windows.count;
	for (size_t i = 0; i < windows.count; i++) {
		struct past *p = xcalloc(1, sizeof(*p));

		*p = (struct past){ .whole = w,
				    .t = t,
				    .begin = windows.at[i] };
		vec_push(&s->pasts, p);
	}
	vec_free(&windows);
}

static void mcm_learn(void *search, struct explore_job *job,
		      struct run_trace *t)
{
	struct mcm *s = search;
	struct origin *o = job->from;
	uint32_t run = known_runs_add(&s->known, t);

	if (o) {
		o->past->flying--;
		o->past->whole->has_doubts |= job->is_diverged;
	}
	if (o && o->question) {
		o->question->is_done |= job->is_diverged;
		/* A read in an idle round is no part of any history: that it
		 * got this, with what others had done by then, only the plan
		 * knows. Without it one would ask for ever. */
		if (job->is_diverged ||
		    known_runs_shows(&s->known, run, o->question->name))
			known_runs_forget(&s->known, o->plan);
	}
	note_reads(s, t);
	if (known_runs_has_class(&s->known, t)) {
		if (s->x->o->state)
			explore_state_drop(&s->x->made);
		run_trace_free(t);
		return;
	}
	explorer_class(s->x, t);
	pasts_add(s, t, job);
}

static uint64_t mcm_left(void *search)
{
	const struct mcm *s = search;
	uint64_t n = !s->is_begun;

	for (size_t i = s->first; i < s->pasts.count; i++)
		n += s->pasts.at[i] != NULL;
	return n;
}

const struct search_kind search_mcm = { .new = mcm_new,
					.free = mcm_free,
					.next = mcm_next,
					.learn = mcm_learn,
					.left = mcm_left };
