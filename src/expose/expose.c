/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/expose_inner.h"

#include <stdlib.h>
#include <unistd.h>

#include "expose/candidates.h"
#include "format/rng.h"
#include "trial/interrupts.h"

const char *expose_method_text(enum expose_method m)
{
	static const char *const texts[EXPOSE_METHODS] = {
		[EXPOSE_CTRIGGER] = "ctrigger", [EXPOSE_STRESS] = "stress",
		[EXPOSE_PURE] = "pure",		[EXPOSE_SYNC] = "sync",
		[EXPOSE_RACE] = "race",
	};

	return texts[m];
}

const char *expose_state_text(enum expose_state s)
{
	static const char *const texts[] = {
		[EXPOSE_UNTRIED] = "untried",
		[EXPOSE_NOT_FORCED] = "not forced",
		[EXPOSE_BENIGN] = "benign",
		[EXPOSE_BUG] = "bug",
	};

	return texts[s];
}

/* ---- passes ---- */

/* What is tried in turn: how many runs each candidate gets, and which of them.
 * Free runs come first, as in the paper; a run under control costs about as
 * much as a free one of a small program and is surer. The last pass takes
 * those up again that never came about. */
static const struct stage {
	bool is_free;
	uint32_t runs;	      /* for each candidate, or window */
	uint32_t forced_less; /* of those forced less often than this */
} stages[] = {
	{ true, 3, 1 },	  { false, 4, 3 },   { true, 8, 1 },
	{ false, 24, 4 }, { false, 120, 1 },
};

enum { STAGES = sizeof(stages) / sizeof(*stages) };

/* One at a time where there are few, windows of similar rank where there are
 * many. Under control always one: a run costs little. */
static uint32_t window_of(size_t count, bool is_free)
{
	enum { FEW = 32, WINDOW = 8 };

	return !is_free || count <= FEW ? 1 : WINDOW;
}

static bool is_over(const struct expose *e)
{
	return interrupts_came() || !expose_left_ms(e) ||
	       (e->r->bugs.count && !e->o->all_failures);
}

static int stage_run(struct expose *e, const struct stage *s, struct err *err)
{
	/* Free runs of a large program take long, and so do those under
	 * control; neither may take all the time. */
	uint64_t left = expose_left_ms(e);
	struct pass p = { .is_free = s->is_free,
			  .ms = s->is_free ? left / 3 + 1 : left / 2 + 1,
			  .flags = s->is_free ? FORCE_POISON : 0 };
	size_t windows;
	int rc = 0;

	for (size_t i = 0; i < e->r->candidates.count; i++)
		if (e->r->candidates.at[i].state != EXPOSE_BUG &&
		    e->r->candidates.at[i].tally.forced < s->forced_less)
			vec_push(&p.which, i);
	p.window = window_of(p.which.count, s->is_free);
	windows = (p.which.count + p.window - 1) / p.window;
	p.runs = windows * s->runs;
	/* Seeds choose windows: the first is the first. */
	if (windows)
		e->seed += windows - e->seed % windows;
	if (p.which.count)
		rc = pass_run(e, &p, err);
	pass_done(&p);
	return rc;
}

/* Nothing was found that could be forced: some runs all the same, for bugs that
 * need no interleaving of single accesses. */
static int without_candidates(struct expose *e, struct err *err)
{
	enum { RUNS = 200 };
	struct pass p = { .runs = RUNS, .ms = expose_left_ms(e) };

	return pass_run(e, &p, err);
}

/* Several rules at once, drawn at random: bugs that need two interleavings, or
 * up to four delays. Takes as much time as all that was done before, or a few
 * seconds. */
static int stage_mixed(struct expose *e, struct err *err)
{
	enum { LEAST_MS = 4000 };
	struct pass p = { .window = 2 };
	struct rng chance = rng_seeded(e->seed);
	uint64_t left = expose_left_ms(e);
	uint64_t spent = e->o->budget_ms - left;
	int rc = 0;

	p.ms = spent < LEAST_MS ? LEAST_MS : spent;
	if (p.ms > left / 2)
		p.ms = left / 2;
	if (e->r->candidates.count < 2)
		return 0;
	/* Each candidate is there several times, with others each time. */
	for (int turn = 0; turn < 8; turn++)
		for (size_t i = 0; i < e->r->candidates.count; i++)
			if (p.which.count < FORCE_RULES)
				vec_push(&p.which, i);
	for (size_t i = p.which.count; i-- > 1;) {
		size_t j = rng_below64(&chance, i + 1), kept = p.which.at[i];

		p.which.at[i] = p.which.at[j];
		p.which.at[j] = kept;
	}
	if (p.ms)
		rc = pass_run(e, &p, err);
	pass_done(&p);
	return rc;
}

static int ctrigger(struct expose *e, struct err *err)
{
	for (int i = 0; i < STAGES && !is_over(e); i++)
		if (stage_run(e, &stages[i], err) < 0)
			return -1;
	if (!is_over(e) && stage_mixed(e, err) < 0)
		return -1;
	if (!is_over(e) && without_candidates(e, err) < 0)
		return -1;
	e->r->is_settled = !is_over(e);
	return 0;
}

/* Baselines: the same until one fails or the time is up. */
static int baseline(struct expose *e, struct err *err)
{
	struct pass p = { .is_free = true,
			  .runs = e->o->runs,
			  .ms = e->o->runs ? 0 : expose_left_ms(e) };
	int rc;

	switch (e->o->method) {
	case EXPOSE_PURE:
		p.flags = FORCE_BARE;
		break;
	case EXPOSE_SYNC:
		p.noise_chance = 1 << 14;
		p.noise_us = FORCE_HOLD_US;
		break;
	case EXPOSE_RACE:
		for (size_t i = 0; i < e->r->candidates.count; i++)
			vec_push(&p.which, i);
		p.window = window_of(p.which.count, true);
		break;
	default:
		break;
	}
	rc = pass_run(e, &p, err);
	pass_done(&p);
	return rc;
}

/* ---- coverage ---- */

static int compare_moments(const void *a, const void *b)
{
	const struct expose_moment *x = a, *y = b;

	return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* What the profile exercised is covered from the beginning, the others from
 * when they were first forced. */
static void measure_coverage(struct expose_result *r)
{
	const struct unserial_result *u = r->unserial;
	struct expose_moment m = { .seconds = r->observe_seconds };

	if (!u)
		return;
	m.covered = u->by_status[UNSERIAL_EXERCISED];
	r->feasible = m.covered + u->by_status[UNSERIAL_OPEN] +
		      u->by_status[UNSERIAL_LIKELY];
	vec_push(&r->moments, m);
	for (size_t i = 0; i < r->candidates.count; i++) {
		const struct expose_candidate *c = &r->candidates.at[i];

		m.seconds = c->seconds;
		if (c->kind == EXPOSE_INTERLEAVING && c->tally.forced &&
		    u->at[c->unserial].status != UNSERIAL_EXERCISED)
			vec_push(&r->moments, m);
	}
	qsort(r->moments.at + 1, r->moments.count - 1, sizeof(*r->moments.at),
	      compare_moments);
	for (size_t i = 1; i < r->moments.count; i++)
		r->moments.at[i].covered = r->moments.at[i - 1].covered + 1;
}

int expose_watch(const struct expose_options *o, struct expose_result *r,
		 struct err *err)
{
	double began = expose_now();
	int rc;

	*r = (struct expose_result){ 0 };
	rc = candidates_observe(o, r, err);
	r->seconds = expose_now() - began;
	return rc;
}

int expose_force(const struct expose_options *o, struct expose_result *r,
		 struct err *err)
{
	struct expose e = { .o = o,
			    .r = r,
			    .plan = plan_new(),
			    .began = expose_now() - r->seconds,
			    .seed = o->seed };
	int rc;

	if (r->trace)
		candidates_make(o, r, e.plan);
	e.run_ms = (uint64_t)(r->observe_seconds * 1000) + 1;
	rc = o->method == EXPOSE_CTRIGGER ? ctrigger(&e, err) :
					    baseline(&e, err);
	r->seconds = expose_now() - e.began;
	measure_coverage(r);
	plan_free(e.plan);
	return rc;
}

int expose_run(const struct expose_options *o, struct expose_result *r,
	       struct err *err)
{
	bool needs_profile = o->method == EXPOSE_CTRIGGER ||
			     o->method == EXPOSE_RACE;

	int rc = 0;

	*r = (struct expose_result){ 0 };
	interrupts_hold();
	if (needs_profile)
		rc = expose_watch(o, r, err);
	if (rc == 0)
		rc = expose_force(o, r, err);
	r->stopped_by = interrupts_came();
	interrupts_release();
	return rc;
}

void expose_done(struct expose_result *r)
{
	for (size_t i = 0; i < r->candidates.count; i++)
		candidate_done(&r->candidates.at[i]);
	vec_free(&r->candidates);
	for (size_t i = 0; i < r->bugs.count; i++) {
		verdict_done(&r->bugs.at[i].verdict);
		free(r->bugs.at[i].name);
	}
	vec_free(&r->bugs);
	vec_free(&r->moments);
	analysis_free(r->findings);
	if (r->unserial)
		unserial_free(r->unserial);
	if (r->sites)
		sites_free(r->sites);
	if (r->trace)
		trace_close(r->trace);
	if (r->trace_path)
		unlink(r->trace_path);
	free(r->trace_path);
	*r = (struct expose_result){ 0 };
}

enum exit_status expose_status(const struct expose_result *r)
{
	if (r->bugs.count || r->observed_broken)
		return EXIT_BROKEN;
	return r->stopped_by ? EXIT_UNKNOWN : EXIT_HELD;
}
