/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/clues.h"

#include <stdlib.h>
#include <string.h>

/* ---- located pairs ---- */

static bool has_event(const struct candidate *c, size_t at)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->at[i] == at)
			return true;
	return false;
}

static void event_add(struct candidate *c, size_t at)
{
	if (c->count < HUNT_EVENTS && !has_event(c, at))
		c->at[c->count++] = at;
}

/* The last two events of different threads at these sites that conflict, in
 * this order. False: there are none. */
static bool pair_add(const struct recorded *r, uint32_t head, uint32_t tail,
		     struct candidate *c)
{
	const struct event *events = r->events.at;

	for (size_t k = r->events.count; k-- > 0;) {
		if (recorded_site(r, &events[k]) != tail)
			continue;
		for (size_t i = k; i-- > 0;) {
			if (recorded_site(r, &events[i]) != head ||
			    events[i].thread == events[k].thread ||
			    !events_conflict(&events[i], &events[k]))
				continue;
			event_add(c, i);
			event_add(c, k);
			return true;
		}
	}
	return false;
}

static int by_order(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool suspect_take(const struct located_suspect *s,
			 const struct recorded *r, struct candidate *c)
{
	*c = (struct candidate){ 0 };
	for (uint32_t i = 0; i < s->count; i++)
		if (!pair_add(r, s->confirmation.at[i][0].site,
			      s->confirmation.at[i][1].site, c))
			return false;
	qsort(c->at, c->count, sizeof(*c->at), by_order);
	return c->count >= 2;
}

/* A pair that did not come to happen is no event of the run. */
void clues_of_located(const struct located *l, const struct recorded *r,
		      struct candidates *out)
{
	for (size_t i = 0; i < l->suspects.count; i++) {
		const struct located_suspect *s = &l->suspects.at[i];
		struct candidate c;

		if (!s->is_missing && suspect_take(s, r, &c))
			vec_push(&out->all, c);
	}
}

/* ---- rules ---- */

static bool kind_of(uint8_t kinds, uint8_t *kind)
{
	switch (kinds) {
	case FORCE_READ:
		*kind = EVENT_READ;
		return true;
	case FORCE_WRITE:
	case FORCE_READ | FORCE_WRITE:
		*kind = EVENT_WRITE;
		return true;
	case FORCE_ACQUIRE:
		*kind = EVENT_MUTEX_LOCK;
		return true;
	case FORCE_RELEASE:
		*kind = EVENT_MUTEX_UNLOCK;
		return true;
	default:
		return false;
	}
}

static uint32_t site_of(const struct plan *plan, const struct rule_event *e,
			const struct code_map *m)
{
	const struct region_module *module =
		code_module(m, plan->modules.at[e->module].name);
	uint64_t k = module ? e->address + module->bias - module->base : 0;

	return module && k < module->size ? module->site + (uint32_t)k : 0;
}

bool clue_of_rule(const struct plan *plan, const struct rule *rule,
		  struct code_map *m, struct signature *s)
{
	*s = (struct signature){ 0 };
	for (uint32_t k = 0; k < rule->count && k < HUNT_EVENTS; k++) {
		const struct rule_event *e = &rule->events[k];
		struct signature_event *to = &s->events[k];
		uint8_t kind;

		if (!kind_of(e->kinds, &kind) ||
		    !recorded_place(m, site_of(plan, e, m), to)) {
			signature_done(s);
			return false;
		}
		to->kind = kind;
		to->variable = xstrdup("");
		to->thread = e->thread;
		to->object = e->object < HUNT_EVENTS ? e->object :
						       HUNT_ANY_OBJECT;
		s->count++;
	}
	return s->count >= 2;
}
