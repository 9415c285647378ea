/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/rule.h"

/* Points that others may make while a thread is held. */
enum { PATIENCE = 20000 };

uint32_t rule_count;
static uint32_t waited;

void rule_begin(void)
{
	rule_count = control->ask.rule_count;
	waited = 0;
	if (rule_count > ORDER_RULES)
		rule_count = ORDER_RULES;
	for (uint32_t i = 0; i < rule_count; i++) {
		struct order_rule *r = &control->rules[i];

		r->state = ORDER_OPEN;
		control->sites[r->first.site % CONTROL_SITES] = SITE_SHARED;
		control->sites[r->second.site % CONTROL_SITES] = SITE_SHARED;
	}
}

static bool is_at(const struct order_access *a, uint32_t number, uint32_t visit)
{
	return a->thread == number &&
	       a->site == control->threads[number].site &&
	       (!a->visit || a->visit == visit);
}

/* Where the access is waited for: at its gate, if it has one. */
static bool is_before(const struct order_access *a, uint32_t number,
		      uint32_t visit)
{
	const struct order_access way_in = { .thread = a->thread,
					     .site = a->gate_site,
					     .visit = a->gate_visit };

	return is_at(a->gate_site ? &way_in : a, number, visit);
}

static bool holds(const struct order_rule *r, uint32_t number, uint32_t visit)
{
	if (r->state == ORDER_OPEN)
		return is_before(&r->second, number, visit);
	if (r->state != ORDER_FIRST || r->first.thread != number)
		return false;
	return r->adjoining == ORDER_AT_ONCE ||
	       (r->adjoining == ORDER_UNLOCKED &&
		!control->threads[number].hold_count);
}

bool rule_holds(uint32_t number, uint32_t visit)
{
	for (uint32_t i = 0; i < rule_count; i++)
		if (holds(&control->rules[i], number, visit))
			return true;
	return false;
}

bool rule_goes_on(uint32_t number, uint32_t visit)
{
	bool changed = false;

	for (uint32_t i = 0; i < rule_count; i++) {
		struct order_rule *r = &control->rules[i];
		uint32_t before = r->state;

		if (before < ORDER_KEPT && is_at(&r->second, number, visit))
			r->state = before == ORDER_FIRST ? ORDER_KEPT :
							   ORDER_BROKEN;
		else if (before == ORDER_OPEN &&
			 is_at(&r->first, number, visit))
			r->state = ORDER_FIRST;
		changed |= r->state != before;
	}
	if (changed)
		waited = 0;
	return changed;
}

void rule_break(void)
{
	for (uint32_t i = 0; i < rule_count; i++)
		if (control->rules[i].state < ORDER_KEPT)
			control->rules[i].state = ORDER_BROKEN;
}

bool rule_tires(void)
{
	if (++waited < PATIENCE)
		return false;
	waited = 0;
	rule_break();
	return true;
}
