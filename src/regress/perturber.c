/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/perturber.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum {
	RULES_MOST = 256, /* of one run */
	SITES_MOST = 16,  /* of one event */
};

/* Where each event of a signature may happen. */
struct choices {
	uint32_t sites[HUNT_EVENTS][SITES_MOST];
	uint32_t counts[HUNT_EVENTS];
	uint32_t first, rules; /* of the plan */
};

/* ---- beginning ---- */

/* Sites are the same numbers in both workers if both have loaded the same. */
static bool is_laid_out_as(const struct code_map *m, const struct region *r)
{
	if (atomic_load(&r->module_count) != m->module_count)
		return false;
	for (uint32_t i = 0; i < m->module_count; i++)
		if (m->modules[i].site != r->modules[i].site ||
		    m->modules[i].size != r->modules[i].size ||
		    strcmp(m->modules[i].path, r->modules[i].path) != 0)
			return false;
	return true;
}

static int start(struct perturber *p, const struct again *a, const char *store,
		 struct err *err)
{
	struct again *own = &p->again;

	p->is_open = true;
	if (again_open(own, store, a->repro->name, a->outputs.check.count > 0,
		       err) < 0)
		return -1;
	own->instead = a->instead;
	own->mode = AGAIN_PERTURBED;
	if (own->kind)
		return err_set(err, "its world is not free");
	if (again_start(own, err) < 0 ||
	    follower_know_modules(&own->follower, err) < 0)
		return -1;
	if (!is_laid_out_as(p->map, own->follower.worker.region))
		return err_set(err, "it loads other modules in each run");
	callsites_list(own->follower.worker.region, &p->calls);
	return 0;
}

void perturber_init(struct perturber *p, const struct again *a,
		    const char *store, struct code_map *map)
{
	struct err err;

	*p = (struct perturber){ .map = map };
	p->is_ready = start(p, a, store, &err) == 0;
	if (!p->is_ready)
		log_debug("%s is not perturbed: %s", a->repro->name, err.text);
}

void perturber_done(struct perturber *p)
{
	if (p->is_open)
		again_close(&p->again);
	vec_free(&p->calls.all);
	*p = (struct perturber){ 0 };
}

/* ---- rules ---- */

static bool is_in(const struct places *places, uint32_t site)
{
	for (size_t i = 0; i < places->all.count; i++)
		if (places->all.at[i].low <= site &&
		    site < places->all.at[i].high)
			return true;
	return false;
}

/* False: some event can happen nowhere. */
static bool choices_find(struct perturber *p, const struct signature *s,
			 const struct hunt_setting *set, struct choices *c)
{
	*c = (struct choices){ 0 };
	for (uint32_t k = 0; k < s->count; k++) {
		struct places places = { 0 };

		similar_places(p->map, &s->events[k], set->widths[k].by,
			       set->widths[k].w, &places);
		for (size_t i = 0; i < p->calls.all.count; i++)
			if (c->counts[k] < SITES_MOST &&
			    is_in(&places, p->calls.all.at[i]))
				c->sites[k][c->counts[k]++] =
					p->calls.all.at[i];
		vec_free(&places.all);
		if (!c->counts[k])
			return false;
	}
	return true;
}

static uint8_t kinds_of(const struct signature_event *e)
{
	switch (hunt_operation(e->kind)) {
	case HUNT_READ:
		return FORCE_READ;
	case HUNT_WRITE:
		return FORCE_WRITE;
	case HUNT_LOCK:
		return FORCE_ACQUIRE;
	case HUNT_UNLOCK:
		return FORCE_RELEASE;
	default:
		return 0;
	}
}

/* The rule of choice n, as digits of n to the bases of the counts. */
static struct rule rule_make(const struct perturber *p, const struct plan *plan,
			     const struct signature *s, const struct choices *c,
			     uint32_t n)
{
	struct rule rule = { .count = s->count,
			     .hold_us = FORCE_HOLD_US,
			     .holds = FORCE_HOLDS,
			     .note = xstrdup("signature") };

	for (uint32_t k = 0; k < s->count; k++) {
		struct rule_event *e = &rule.events[k];

		e->module = plan_site(plan, p->map->modules,
				      c->sites[k][n % c->counts[k]],
				      &e->address);
		e->kinds = kinds_of(&s->events[k]);
		e->thread = (uint8_t)s->events[k].thread;
		e->object = s->events[k].object < HUNT_EVENTS ?
				    (uint8_t)s->events[k].object :
				    FORCE_ANY_OBJECT;
		e->flags = k ? FORCE_HOLD : 0;
		n /= c->counts[k];
	}
	return rule;
}

static void rules_add(const struct perturber *p, const struct signature *s,
		      struct choices *c, struct plan *plan)
{
	uint32_t count = 1;

	c->first = (uint32_t)plan->rules.all.count;
	for (uint32_t k = 0; k < s->count; k++)
		count *= c->counts[k];
	if (count > RULES_MOST)
		count = RULES_MOST;
	for (uint32_t n = 0; n < count; n++)
		rules_push(&plan->rules, rule_make(p, plan, s, c, n));
	c->rules = count;
}

/* Without rules if no signature can come about. */
static struct plan *plan_make(struct perturber *p, const struct signatures *s,
			      const struct hunt_setting *sets, uint64_t seed,
			      struct choices *choices)
{
	struct plan *plan = plan_new();

	plan_set_modules(plan, p->map->modules, p->map->module_count);
	plan->processors = p->again.repro->plan->processors;
	plan->seed = seed;
	/* Every run has other rules, so hooks stay where they are. */
	plan->rules.is_free = true;
	plan->rules.flags = FORCE_POISON | FORCE_BARE;
	for (size_t i = 0; i < s->all.count; i++)
		if (choices_find(p, &s->all.at[i], &sets[i], &choices[i]) &&
		    plan->rules.all.count + RULES_MOST <= FORCE_RULES)
			rules_add(p, &s->all.at[i], &choices[i], plan);
	return plan;
}

/* ---- what became of it ---- */

/* How far a rule came, at best, by the marks of the run; and where. */
static uint32_t rule_reached(const struct captured *run, uint32_t rule,
			     struct hunt_done *best)
{
	struct hunt_done done[HUNT_EVENTS];
	uint32_t next = 0, reached = 0;

	for (uint32_t i = 0; i < run->mark_count; i++) {
		const struct force_mark *m = &run->marks[i];

		if (m->rule != rule || m->what != FORCE_MARK_PASSED)
			continue;
		if (m->event == 0)
			next = 0;
		if (m->event != next || next == HUNT_EVENTS)
			continue;
		done[next++] = (struct hunt_done){ .thread = m->thread,
						   .object = m->object,
						   .point = m->microseconds };
		if (next > reached) {
			reached = next;
			memcpy(best, done, next * sizeof(*done));
		}
	}
	return reached;
}

/* True: one of its rules came further than what is reported. */
static bool report_fill(const struct captured *run, const struct signature *s,
			const struct choices *c, struct hunt_report *report)
{
	bool is_further = false;

	for (uint32_t n = 0; n < c->rules; n++) {
		struct hunt_done done[HUNT_EVENTS];
		uint32_t reached = rule_reached(run, c->first + n, done);
		uint32_t digits = n;

		if (reached <= report->reached)
			continue;
		is_further = true;
		report->reached = reached;
		for (uint32_t k = 0; k < s->count; k++) {
			if (k < reached) {
				report->done[k] = done[k];
				report->done[k].site =
					c->sites[k][digits % c->counts[k]];
			}
			digits /= c->counts[k];
		}
	}
	return is_further;
}

static int judge(struct perturber *p, struct captured *c, struct hunt_run *run,
		 struct err *err)
{
	if (again_judge(&p->again, c, &run->verdict, err) < 0) {
		captured_free(c);
		return -1;
	}
	if (run->verdict.status != EXIT_BROKEN) {
		verdict_done(&run->verdict);
		captured_free(c);
		return 0;
	}
	run->captured = c;
	run->identity = run->verdict.identity;
	return 0;
}

static int make_run(struct perturber *p, const struct signatures *s,
		    const struct choices *choices, double began,
		    uint32_t *which, struct hunt_run *run, struct err *err)
{
	struct captured *c =
		follower_run(&p->again.follower, run->plan, false, err);

	run->seconds = hunt_now() - began;
	p->seconds += run->seconds;
	if (!c)
		return -1;
	*which = 0;
	for (uint32_t i = 0; i < s->all.count; i++)
		if (report_fill(c, &s->all.at[i], &choices[i], &run->report))
			*which = i;
	return judge(p, c, run, err);
}

int perturber_run(struct perturber *p, const struct signatures *s,
		  const struct hunt_setting *sets, uint64_t seed,
		  uint32_t *which, struct hunt_run *run, struct err *err)
{
	double began = hunt_now();
	struct choices *choices;
	int rc = 1;

	*run = (struct hunt_run){ 0 };
	if (!p->is_ready)
		return 1;
	choices = xcalloc(s->all.count + 1, sizeof(*choices));
	run->plan = plan_make(p, s, sets, seed, choices);
	if (run->plan->rules.all.count)
		rc = make_run(p, s, choices, began, which, run, err);
	if (rc)
		hunt_run_done(run);
	free(choices);
	return rc;
}

struct captured *perturber_replay(struct perturber *p, struct err *err)
{
	struct again *a = &p->again;

	if (!p->is_ready) {
		err_set(err, "%s was kept by rules and cannot be perturbed",
			a->repro->name);
		return NULL;
	}
	return follower_run(&a->follower, a->repro->plan, false, err);
}
