/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/expose_inner.h"

#include <string.h>
#include <time.h>

double expose_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

uint64_t expose_left_ms(const struct expose *e)
{
	double spent = (expose_now() - e->began) * 1000;

	return spent >= (double)e->o->budget_ms ?
		       0 :
		       e->o->budget_ms - (uint64_t)spent;
}

void pass_done(struct pass *p)
{
	vec_free(&p->which);
}

static struct rule rule_copy(const struct rule *from)
{
	struct rule to = *from;

	to.note = xstrdup(from->note ? from->note : "");
	for (int e = 0; e < FORCE_EVENTS; e++)
		if (to.events[e].where)
			to.events[e].where = xstrdup(to.events[e].where);
	return to;
}

static bool has_stacks(const struct rules *all)
{
	for (size_t i = 0; i < all->all.count; i++)
		for (uint32_t e = 0; e < all->all.at[i].count; e++)
			if (all->all.at[i].events[e].stack)
				return true;
	return false;
}

struct plan *pass_plan(const struct expose *e, const struct pass *p)
{
	struct plan *plan = plan_copy(e->plan);

	for (size_t i = 0; i < p->which.count; i++)
		rules_push(
			&plan->rules,
			rule_copy(&e->r->candidates.at[p->which.at[i]].rule));
	plan->rules.is_free = p->is_free;
	plan->rules.window = p->window;
	plan->rules.flags = p->flags;
	if (e->o->is_by_stack || has_stacks(&plan->rules))
		plan->rules.flags |= FORCE_STACKS;
	plan->rules.noise_chance = p->noise_chance;
	plan->rules.noise_us = p->noise_us;
	return plan;
}

/* A free run has no points: it hangs when it takes much longer than the one
 * that was observed. */
static uint64_t hang_ms(const struct expose *e, bool is_free)
{
	enum { LEAST = 3000, TIMES = 20, UNKNOWN = 120000 };
	uint64_t most = e->run_ms * TIMES;

	if (!is_free)
		return e->o->keeping.hang_ms;
	if (!e->r->trace)
		return UNKNOWN; /* none was observed */
	return most < LEAST ? LEAST : most;
}

struct campaign_options pass_options(const struct expose *e,
				     const struct pass *p,
				     const struct plan *plan)
{
	const struct keeping *k = &e->o->keeping;

	return (struct campaign_options){
		.argv = k->argv,
		.guest = e->o->guest,
		.input = k->feed->fd,
		.ask = { .strategy = STRATEGY_FORCE,
			 .points_most = k->points_most,
			 .hang_ms = hang_ms(e, p->is_free),
			 .memory_most = e->o->memory_most,
			 .processors = CONTROL_PROCESSORS },
		.seed = e->seed,
		.runs = p->runs,
		.time_ms = p->ms,
		.is_cut = true,
		.workers = p->is_free ? 1 : e->o->jobs,
		.all_failures = e->o->all_failures,
		/* What fails freely is brought under control, or replayed by
		 * its rules. */
		.doubts = !p->is_free,
		.exec = k->is_exec,
		.inputs = k->inputs,
		.input_count = k->input_count,
		.outputs = k->outputs,
		.rules = plan,
	};
}

/* ---- telling ---- */

struct teller {
	const struct expose *e;
	const struct pass *p;
	uint64_t before;
};

static void count_settled(const struct expose_result *r, size_t *tried,
			  size_t *forced)
{
	*tried = *forced = 0;
	for (size_t i = 0; i < r->candidates.count; i++) {
		*tried += r->candidates.at[i].tally.runs > 0;
		*forced += r->candidates.at[i].tally.forced > 0;
	}
}

static void tell(void *to, const struct campaign_news *news)
{
	const struct teller *t = to;
	const struct expose *e = t->e;
	struct expose_news told = {
		.seconds = expose_now() - e->began,
		.budget = (double)e->o->budget_ms / 1000,
		.candidates = e->r->candidates.count,
		.bugs = e->r->bugs.count + news->failures,
		.runs = e->r->runs + news->made,
		.is_free = t->p->is_free,
	};

	count_settled(e->r, &told.tried, &told.forced);
	if (e->o->tell)
		e->o->tell(e->o->to, &told);
}

/* ---- running ---- */

static void tally_add(const struct expose *e, struct expose_candidate *c,
		      const struct force_tally *t)
{
	if (t->forced && !c->tally.forced)
		c->seconds = (double)t->when / 1e9 - e->began;
	c->tally.runs += t->runs;
	c->tally.begun += t->begun;
	c->tally.held += t->held;
	c->tally.expired += t->expired;
	c->tally.forced += t->forced;
	c->tally.broken += t->broken;
	if (t->late_us > c->tally.late_us)
		c->tally.late_us = t->late_us;
	if (c->state == EXPOSE_BUG)
		return;
	if (c->tally.broken)
		c->state = EXPOSE_BUG;
	else if (c->tally.forced)
		c->state = EXPOSE_BENIGN;
	else if (c->tally.runs)
		c->state = EXPOSE_NOT_FORCED;
}

static void tallies_take(struct expose *e, const struct pass *p,
			 const struct campaign_result *c)
{
	for (size_t i = 0; i < p->which.count; i++)
		tally_add(e, &e->r->candidates.at[p->which.at[i]],
			  &c->tallies[i]);
}

int pass_run(struct expose *e, const struct pass *p, struct err *err)
{
	struct plan *plan = pass_plan(e, p);
	struct campaign_options o = pass_options(e, p, plan);
	struct campaign_result c;
	struct teller to = { .e = e, .p = p };
	int rc;

	o.tell = tell;
	o.to = &to;
	rc = campaign_run(&o, &c, err);
	if (rc == 0) {
		tallies_take(e, p, &c);
		e->r->runs += c.made;
		if (p->is_free)
			e->r->free_runs += c.made;
		for (size_t i = 0; i < c.failures.count && rc == 0; i++)
			if (c.failures.at[i].verdict.status == EXIT_BROKEN)
				rc = bug_found(e, p, &c.failures.at[i], err);
		e->seed += c.made;
	}
	campaign_done(&c);
	plan_free(plan);
	return rc;
}
