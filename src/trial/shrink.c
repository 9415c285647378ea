/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/shrink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trial/interrupts.h"

struct shrinker {
	struct follower *follower;
	shrink_same *is_same;
	void *arg;
	struct plan *best;
	uint32_t switches; /* of `best` */
	uint32_t runs, runs_most;
	uint64_t deadline; /* of the monotonic clock, in milliseconds */
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool is_switch(const struct plan_step *s)
{
	return s->what <= STEP_YIELD;
}

/* A switch that nothing but the strategy asked for. */
static bool is_free(const struct plan_step *s)
{
	return s->what == STEP_PREEMPT || s->what == STEP_YIELD;
}

static uint32_t count_steps(const struct plan *p,
			    bool (*counts)(const struct plan_step *))
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->steps.count; i++)
		n += counts(&p->steps.at[i]);
	return n;
}

/* The plan without its free switches number from .. to-1. */
static struct plan *plan_without(const struct plan *p, uint32_t from,
				 uint32_t to)
{
	struct plan *q = plan_copy(p);
	size_t kept = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < q->steps.count; i++) {
		struct plan_step *s = &q->steps.at[i];
		bool leave_out = false;

		if (is_free(s)) {
			leave_out = n >= from && n < to;
			n++;
		}
		if (leave_out)
			plan_step_done(s);
		else
			q->steps.at[kept++] = *s;
	}
	q->steps.count = kept;
	return q;
}

static void step_remove(struct plan *p, size_t k)
{
	plan_step_done(&p->steps.at[k]);
	memmove(&p->steps.at[k], &p->steps.at[k + 1],
		(p->steps.count - k - 1) * sizeof(*p->steps.at));
	p->steps.count--;
}

/* The switch before step k, or steps.count. */
static size_t switch_before(const struct plan *p, size_t k)
{
	while (k-- > 0)
		if (is_switch(&p->steps.at[k]))
			return k;
	return p->steps.count;
}

/* The plan without the stretch that ends with its n-th free switch: whoever
 * had passed the turn to it passes it on to its successor. NULL: it cannot be
 * left out so. */
static struct plan *plan_bypass(const struct plan *p, uint32_t n)
{
	struct plan *q = plan_copy(p);
	size_t k = 0, before;

	for (; k < q->steps.count; k++)
		if (is_free(&q->steps.at[k]) && n-- == 0)
			break;
	before = k < q->steps.count ? switch_before(q, k) : q->steps.count;
	if (before == q->steps.count ||
	    q->steps.at[before].to != q->steps.at[k].thread) {
		plan_free(q);
		return NULL;
	}
	q->steps.at[before].to = q->steps.at[k].to;
	step_remove(q, k);
	if (q->steps.at[before].to == q->steps.at[before].thread)
		step_remove(q, before);
	return q;
}

static bool is_spent(const struct shrinker *s)
{
	return s->runs >= s->runs_most || now_ms() >= s->deadline ||
	       interrupts_came();
}

/* 1: it still fails, with fewer switches, and is the best now. */
static int attempt(struct shrinker *s, const struct plan *candidate,
		   struct err *err)
{
	struct captured *run = follower_run(s->follower, candidate, true, err);
	struct plan *taken;
	uint32_t switches;

	if (!run)
		return -1;
	s->runs++;
	if (!s->is_same(run, s->arg)) {
		captured_free(run);
		return 0;
	}
	taken = captured_plan(run);
	captured_free(run);
	switches = count_steps(taken, is_switch);
	if (switches >= s->switches) {
		plan_free(taken);
		return 0;
	}
	plan_free(s->best);
	s->best = taken;
	s->switches = switches;
	return 1;
}

/* Leaves out `size` free switches at a time; 1 when any could be. Later ones
 * first: what comes behind the failure's cause matters least. */
static int pass(struct shrinker *s, uint32_t size, struct err *err)
{
	uint32_t end = count_steps(s->best, is_free);
	int any = 0;

	while (end > 0 && !is_spent(s)) {
		uint32_t from = end > size ? end - size : 0;
		struct plan *candidate = plan_without(s->best, from, end);
		int rc = attempt(s, candidate, err);
		uint32_t left;

		plan_free(candidate);
		if (rc < 0)
			return -1;
		any |= rc;
		end = from;
		left = count_steps(s->best, is_free);
		if (end > left)
			end = left;
	}
	return any;
}

/* Leaves out whole stretches, one at a time. */
static int pass_bypass(struct shrinker *s, struct err *err)
{
	uint32_t n = count_steps(s->best, is_free);
	int any = 0;

	while (n-- > 0 && !is_spent(s)) {
		struct plan *candidate = plan_bypass(s->best, n);
		int rc = candidate ? attempt(s, candidate, err) : 0;
		uint32_t left;

		plan_free(candidate);
		if (rc < 0)
			return -1;
		any |= rc;
		left = count_steps(s->best, is_free);
		if (n > left)
			n = left;
	}
	return any;
}

static int passes(struct shrinker *s, bool *is_least, struct err *err)
{
	uint32_t size = count_steps(s->best, is_free);
	int rc;

	while (size > 0 && !is_spent(s)) {
		rc = pass(s, size, err);
		if (rc == 0 && size == 1)
			rc = pass_bypass(s, err);
		if (rc < 0)
			return -1;
		if (size == 1 && rc == 0 && !is_spent(s))
			*is_least = true;
		if (size == 1 && rc == 0)
			break;
		if (size > 1)
			size = (size + 1) / 2;
	}
	if (!count_steps(s->best, is_free))
		*is_least = true;
	return 0;
}

int shrink(struct follower *f, const struct plan *plan, shrink_same *is_same,
	   void *arg, uint32_t runs, uint64_t ms, struct shrink_result *result,
	   struct err *err)
{
	struct shrinker s = { .follower = f,
			      .is_same = is_same,
			      .arg = arg,
			      .best = plan_copy(plan),
			      .switches = count_steps(plan, is_switch),
			      .runs_most = runs,
			      .deadline = now_ms() + ms };
	int rc;

	*result = (struct shrink_result){ .before = s.switches };
	rc = passes(&s, &result->is_least, err);
	/* What is left out until then is left out. */
	if (rc < 0 && interrupts_came())
		rc = 0;
	result->plan = s.best;
	result->after = s.switches;
	result->runs = s.runs;
	return rc;
}
