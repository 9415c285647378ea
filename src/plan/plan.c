/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <string.h>

static const char *const strategies[STRATEGIES] = {
#define STRATEGY(name, symbol, text, meaning) [STRATEGY_##name] = text,
#include "format/strategy.def"
#undef STRATEGY
};

const char *strategy_text(uint32_t strategy)
{
	return strategies[strategy];
}

uint32_t strategy_named(const char *name, uint32_t otherwise)
{
	for (uint32_t i = 0; i < STRATEGIES; i++)
		if (strcmp(strategies[i], name) == 0)
			return i;
	return otherwise;
}

uint32_t points_named(const char *name)
{
	if (strcmp(name, "all") == 0)
		return CONTROL_ALL;
	return strcmp(name, "sync") == 0 ? CONTROL_SYNC : 0;
}

const char *step_text(unsigned int what)
{
	static const char *const texts[STEP_WHATS] = {
#define STEP(name, text, to) [STEP_##name] = text,
#include "format/step.def"
#undef STEP
	};
	return what < STEP_WHATS ? texts[what] : "?";
}

struct plan *plan_new(void)
{
	return xcalloc(1, sizeof(struct plan));
}

void plan_step_done(struct plan_step *s)
{
	free(s->where);
	free(s->source);
}

const struct plan_place *plan_place_of(const struct plan *p,
				       const struct plan_step *s)
{
	for (size_t i = 0; i < p->places.count; i++)
		if (p->places.at[i].module == s->module &&
		    p->places.at[i].address == s->address)
			return &p->places.at[i];
	return NULL;
}

void plan_place_add(struct plan *p, const struct plan_place *like,
		    uint64_t address)
{
	struct plan_place place = *like;

	place.address = address;
	place.symbol = xstrdup(like->symbol);
	place.function = xstrdup(like->function);
	place.text = xstrdup(like->text);
	vec_push(&p->places, place);
}

void plan_places_clear(struct plan *p)
{
	for (size_t i = 0; i < p->places.count; i++) {
		free(p->places.at[i].symbol);
		free(p->places.at[i].function);
		free(p->places.at[i].text);
	}
	p->places.count = 0;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->modules.count; i++)
		free(p->modules.at[i].name);
	for (size_t i = 0; i < p->steps.count; i++)
		plan_step_done(&p->steps.at[i]);
	for (size_t i = 0; i < p->threads.count; i++)
		free(p->threads.at[i]);
	vec_free(&p->threads);
	vec_free(&p->modules);
	vec_free(&p->steps);
	vec_free(&p->privates);
	plan_places_clear(p);
	vec_free(&p->places);
	rules_done(&p->rules);
	free(p);
}

struct plan *plan_copy(const struct plan *p)
{
	struct plan *q = plan_new();

	q->flags = p->flags;
	q->processors = p->processors;
	q->seed = p->seed;
	for (size_t i = 0; i < p->modules.count; i++) {
		struct plan_module m = p->modules.at[i];

		m.name = xstrdup(m.name);
		vec_push(&q->modules, m);
	}
	for (size_t i = 0; i < p->steps.count; i++) {
		struct plan_step s = p->steps.at[i];

		s.where = s.where ? xstrdup(s.where) : NULL;
		s.source = s.source ? xstrdup(s.source) : NULL;
		vec_push(&q->steps, s);
	}
	for (size_t i = 0; i < p->privates.count; i++)
		vec_push(&q->privates, p->privates.at[i]);
	for (size_t i = 0; i < p->places.count; i++) {
		const struct plan_place *place = &p->places.at[i];

		plan_place_add(q, place, place->address);
	}
	for (size_t i = 0; i < p->threads.count; i++)
		vec_push(&q->threads, xstrdup(p->threads.at[i]));
	rules_copy(&q->rules, &p->rules);
	return q;
}

/* ---- from a run ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void plan_set_modules(struct plan *p, const struct region_module *modules,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct plan_module m = {
			.name = xstrdup(base_name(modules[i].path)),
		};

		plan_module_set(&m, &modules[i]);
		vec_push(&p->modules, m);
	}
}

/* The module a site lies in, and where in its file. */
uint32_t plan_site(const struct plan *p, const struct region_module *modules,
		   uint32_t site, uint64_t *address)
{
	for (uint32_t i = 0; i < p->modules.count; i++) {
		const struct region_module *m = &modules[i];

		if (site - m->site >= m->size)
			continue;
		*address = m->base - m->bias + (site - m->site);
		return i;
	}
	*address = 0;
	return NO_MODULE;
}

void plan_set_steps(struct plan *p, const struct region_module *modules,
		    const struct step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct step *from = &steps[i];
		struct plan_step s = {
			.thread = from->thread,
			.visit = from->visit,
			.to = from->to,
			.what = from->what,
			.kind = from->kind,
		};

		s.module = plan_site(p, modules, from->site, &s.address);
		vec_push(&p->steps, s);
	}
}

void plan_set_sites(struct plan *p, const struct region_module *modules,
		    const uint8_t *sites, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct plan_private place;

		if (sites[i] != SITE_PRIVATE)
			continue;
		place.module = plan_site(p, modules, i, &place.address);
		if (place.module != NO_MODULE)
			vec_push(&p->privates, place);
	}
}

/* ---- to a run ---- */

static const struct region_module *find_module(const struct plan_module *m,
					       const struct region *r)
{
	uint32_t count = atomic_load(&r->module_count);

	for (uint32_t i = 0; i < count; i++)
		if (strcmp(base_name(r->modules[i].path), m->name) == 0)
			return &r->modules[i];
	return NULL;
}

/* Our own library is no part of the program. */
static bool is_same_build(const struct plan_module *m,
			  const struct region_module *there)
{
	if (strcmp(m->name, "libheddle.so") == 0)
		return true;
	return m->build_id_size == there->build_id_size &&
	       memcmp(m->build_id, there->build_id, m->build_id_size) == 0;
}

/* Modules of the plan in this process; the caller frees. */
static const struct region_module **match_modules(const struct plan *p,
						  const struct region *r,
						  bool *is_other)
{
	const struct region_module **there =
		xcalloc(p->modules.count + 1, sizeof(*there));

	for (size_t i = 0; i < p->modules.count; i++) {
		there[i] = find_module(&p->modules.at[i], r);
		if (is_other && there[i] &&
		    !is_same_build(&p->modules.at[i], there[i]))
			*is_other = true;
	}
	return there;
}

bool plan_module_is_anew(const struct plan_module *m,
			 const struct region *region, uint32_t *number)
{
	const struct region_module *there = find_module(m, region);

	if (!there || is_same_build(m, there))
		return false;
	*number = (uint32_t)(there - region->modules);
	return true;
}

void plan_module_set(struct plan_module *m, const struct region_module *build)
{
	m->build_id_size = build->build_id_size;
	memcpy(m->build_id, build->build_id, sizeof(m->build_id));
}

bool plan_is_of(const struct plan *p, const struct region *region)
{
	bool is_other = false;
	const struct region_module **there =
		match_modules(p, region, &is_other);

	/* Others than the program itself may come later. */
	if (p->modules.count && !there[0])
		is_other = true;
	free(there);
	return !is_other;
}

/* NO_SITE when the module has no such place: no thread ever stands there. */
static uint32_t site_in(const struct region_module *m, uint64_t address)
{
	uint64_t k = address + m->bias - m->base;

	return k < m->size ? m->site + (uint32_t)k : NO_SITE;
}

static int load_step(const struct plan *p, const struct plan_step *from,
		     const struct region_module **there, struct step *to,
		     struct err *err)
{
	const struct region_module *m = NULL;

	if (from->module != NO_MODULE) {
		m = there[from->module];
		if (!m)
			return err_set(err,
				       "the plan has a step in %s, which the "
				       "program has not loaded",
				       p->modules.at[from->module].name);
	}
	*to = (struct step){
		.thread = from->thread,
		.site = m ? site_in(m, from->address) : 0,
		.visit = from->visit,
		.to = from->to,
		.what = from->what,
		.kind = from->kind,
	};
	return 0;
}

static void load_privates(const struct plan *p,
			  const struct region_module **there,
			  struct control *control)
{
	for (size_t i = 0; i < p->privates.count; i++) {
		const struct plan_private *place = &p->privates.at[i];
		uint32_t site;

		if (!there[place->module])
			continue;
		site = site_in(there[place->module], place->address);
		if (site < CONTROL_SITES)
			control->sites[site] = SITE_PRIVATE;
	}
}

int plan_load(const struct plan *p, const struct region *region,
	      struct control *control, struct control_ask *ask, bool *is_other,
	      struct err *err)
{
	const struct region_module **there = match_modules(p, region, is_other);
	int rc = 0;

	for (size_t i = 0; i < p->steps.count && rc == 0; i++)
		rc = load_step(p, &p->steps.at[i], there, &control->plan[i],
			       err);
	if (rc == 0) {
		load_privates(p, there, control);
		ask->plan_count = (uint32_t)p->steps.count;
		ask->flags = (ask->flags & ~(uint32_t)PLAN_FLAGS) | p->flags;
		ask->processors = p->processors;
	}
	free(there);
	return rc;
}

static void load_event(const struct rule_event *from,
		       const struct region_module *m, struct region *region,
		       struct force_event *to)
{
	*to = (struct force_event){ .site = site_in(m, from->address),
				    .kinds = from->kinds,
				    .thread = from->thread,
				    .object = from->object,
				    .stack = from->stack,
				    .flags = from->flags };
	if (to->site < CONTROL_SITES)
		region->control.sites[to->site] = SITE_SHARED;
}

static int load_rule(const struct plan *p, const struct rule *from,
		     const struct region_module **there, struct region *region,
		     struct force_rule *to, struct err *err)
{
	*to = (struct force_rule){ .count = from->count,
				   .hold_us = from->hold_us,
				   .holds = from->holds };
	for (uint32_t e = 0; e < from->count; e++) {
		uint32_t module = from->events[e].module;

		if (!there[module])
			return err_set(err,
				       "the plan has a rule for %s, which the "
				       "program has not loaded",
				       p->modules.at[module].name);
		load_event(&from->events[e], there[module], region,
			   &to->events[e]);
	}
	return 0;
}

int plan_load_rules(const struct plan *p, struct region *region,
		    struct err *err)
{
	const struct region_module **there = match_modules(p, region, NULL);
	const struct rules *rules = &p->rules;
	struct force *f = &region->force;
	int rc = 0;

	f->rule_count = 0;
	for (size_t i = 0; i < rules->all.count && i < FORCE_RULES && rc == 0;
	     i++) {
		rc = load_rule(p, &rules->all.at[i], there, region,
			       &f->rules[i], err);
		f->tallies[i] = (struct force_tally){ 0 };
		f->rule_count++;
	}
	f->window = rules->window;
	f->flags = rules->flags;
	f->noise_chance = rules->noise_chance;
	f->noise_us = rules->noise_us;
	free(there);
	return rc;
}

/* ---- comparing ---- */

static bool modules_are_equal(const struct plan *a, const struct plan *b)
{
	if (a->modules.count != b->modules.count)
		return false;
	for (size_t i = 0; i < a->modules.count; i++) {
		const struct plan_module *x = &a->modules.at[i];
		const struct plan_module *y = &b->modules.at[i];

		if (strcmp(x->name, y->name) != 0 ||
		    x->build_id_size != y->build_id_size ||
		    memcmp(x->build_id, y->build_id, x->build_id_size) != 0)
			return false;
	}
	return true;
}

static bool steps_are_equal(const struct plan_step *x,
			    const struct plan_step *y)
{
	return x->thread == y->thread && x->module == y->module &&
	       x->address == y->address && x->visit == y->visit &&
	       x->to == y->to && x->what == y->what && x->kind == y->kind;
}

bool plan_is_equal(const struct plan *a, const struct plan *b)
{
	if (!modules_are_equal(a, b) || a->flags != b->flags ||
	    a->processors != b->processors ||
	    a->steps.count != b->steps.count ||
	    a->privates.count != b->privates.count ||
	    !rules_are_equal(&a->rules, &b->rules))
		return false;
	for (size_t i = 0; i < a->steps.count; i++)
		if (!steps_are_equal(&a->steps.at[i], &b->steps.at[i]))
			return false;
	for (size_t i = 0; i < a->privates.count; i++)
		if (a->privates.at[i].module != b->privates.at[i].module ||
		    a->privates.at[i].address != b->privates.at[i].address)
			return false;
	return true;
}
