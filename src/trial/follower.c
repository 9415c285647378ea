/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/follower.h"

#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "trial/callsites.h"

int follower_start(struct follower *f, const struct launch *launch,
		   const struct control_ask *ask, int cpu, struct err *err)
{
	*f = (struct follower){ .ask = *ask, .flags = ask->flags };
	f->ask.strategy = STRATEGY_FOLLOW;
	f->ask.runs = 1;
	return worker_start(&f->worker, launch, cpu, err);
}

/* Only what the plan says is known of the sites. */
static void forget_sites(struct worker *w)
{
	uint32_t count = atomic_load(&w->region->module_count);

	for (uint32_t i = 0; i < count; i++) {
		const struct region_module *m = &w->region->modules[i];
		uint64_t end = (uint64_t)m->site + m->size;

		if (m->instrumented && end <= CONTROL_SITES)
			memset(&w->control->sites[m->site], SITE_NEW, m->size);
	}
}

/* Which modules the program loads is known when it has run. A server has; a
 * fresh run is made for it, which ends at its first point. */
int follower_know_modules(struct follower *f, struct err *err)
{
	struct control_ask ask = f->ask;

	if (atomic_load(&f->worker.region->module_count))
		return 0;
	ask.plan_count = 0;
	ask.points_most = 0;
	ask.flags = CONTROL_LOOSE;
	return worker_runs(&f->worker, &ask, err);
}

int follower_lend(struct follower *f, const struct plan *plan, char **trial,
		  struct err *err)
{
	struct worker *w = &f->worker;

	if (follower_know_modules(f, err) < 0)
		return -1;
	if (w->scratch.base && scratch_fill(&w->scratch, w->launch.inputs,
					    w->launch.input_count, err) < 0)
		return -1;
	f->ask.seed = plan->seed;
	f->ask.flags = CONTROL_EXEC | CONTROL_DEBUG;
	forget_sites(w);
	if (plan_load(plan, w->region, w->control, &f->ask, &f->is_other, err) <
	    0)
		return -1;
	w->control->ask = f->ask;
	atomic_store(&w->region->guest_pid, 0);
	atomic_store(&w->region->module_count, 0);
	*trial = xasprintf("0:/proc/%d/fd/%d", (int)getpid(), w->drain.fd);
	return 0;
}

/* Rules in place of steps: there is nothing to fit or to diverge from. */
static struct captured *obey(struct follower *f, const struct plan *plan,
			     struct err *err)
{
	struct worker *w = &f->worker;

	if (follower_know_modules(f, err) < 0)
		return NULL;
	f->ask.flags = f->flags | CONTROL_STOP;
	f->ask.seed = plan->seed;
	f->ask.strategy = STRATEGY_FORCE;
	if (plan_load_rules(plan, w->region, err) < 0)
		return NULL;
	if (plan->rules.is_free && !(plan->rules.flags & FORCE_BARE))
		callsites_fill(w->region);
	if (worker_runs(w, &f->ask, err) < 0)
		return NULL;
	return captured_take(w);
}

static int prepare(struct follower *f, const struct plan *plan, uint32_t flags,
		   struct err *err)
{
	struct worker *w = &f->worker;

	if (follower_know_modules(f, err) < 0)
		return -1;
	f->ask.flags = f->flags | CONTROL_STOP | flags;
	f->ask.seed = plan->seed;
	forget_sites(w);
	return plan_load(plan, w->region, w->control, &f->ask, &f->is_other,
			 err);
}

static struct captured *take(const struct follower *f, const struct plan *plan)
{
	struct captured *c = captured_take(&f->worker);
	const struct outcome *o = &c->run.outcome;

	if (o->kind == OUTCOME_DIVERGED && o->step < plan->steps.count &&
	    plan->steps.at[o->step].where)
		c->expected = xstrdup(plan->steps.at[o->step].where);
	return c;
}

struct captured *follower_run(struct follower *f, const struct plan *plan,
			      bool is_loose, struct err *err)
{
	if (rules_are_there(&plan->rules))
		return obey(f, plan, err);
	if (prepare(f, plan, is_loose ? CONTROL_LOOSE : 0, err) < 0 ||
	    worker_runs(&f->worker, &f->ask, err) < 0)
		return NULL;
	return take(f, plan);
}

struct captured *follower_record(struct follower *f, const struct plan *plan,
				 struct trace **trace, struct err *err)
{
	*trace = NULL;
	if (prepare(f, plan, CONTROL_RECORD, err) < 0 ||
	    worker_record(&f->worker, &f->ask, trace, err) < 0)
		return NULL;
	return captured_take(&f->worker);
}

struct captured *follower_run_by_rules(struct follower *f,
				       const struct plan *plan,
				       struct order_rule *rules, uint32_t count,
				       struct err *err)
{
	struct order_rule *shared = f->worker.control->rules;
	struct captured *run;

	if (count)
		memcpy(shared, rules, count * sizeof(*rules));
	f->ask.rule_count = count;
	run = follower_run(f, plan, true, err);
	f->ask.rule_count = 0;
	if (count)
		memcpy(rules, shared, count * sizeof(*rules));
	return run;
}

struct captured *follower_wander(struct follower *f, const struct plan *plan,
				 const struct control_ask *how, struct err *err)
{
	struct control_ask ask;

	if (prepare(f, plan, 0, err) < 0)
		return NULL;
	ask = f->ask;
	ask.flags |= how->flags;
	ask.strategy = how->strategy;
	ask.depth = how->depth;
	ask.length = how->length;
	ask.seed = how->seed;
	if (worker_runs(&f->worker, &ask, err) < 0)
		return NULL;
	return captured_take(&f->worker);
}

void follower_stop(struct follower *f)
{
	worker_stop(&f->worker);
}
