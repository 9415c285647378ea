/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/force_watch.h"

enum { REMEMBERED = 32, EVENTS = 3 };

struct span {
	uint64_t addr, size;
};

/* A thread has passed P. */
struct begun {
	struct span own;    /* size 0: free */
	struct span remote; /* the latest R since; size 0: none */
	uint32_t thread;
};

static struct watch {
	struct begun begun[REMEMBERED];
	uint32_t next; /* to be forgotten */
	bool is_watched;
	uint8_t events[EVENTS]; /* P, R and C in the rule */
} watches[FORCE_RULES];

/* P, R and C, whatever gates are between them. */
static bool is_interleaving(const struct force_rule *rule, uint8_t *events)
{
	const struct force_event *all = rule->events;
	uint32_t count = 0;

	for (uint32_t e = 0; e < rule->count; e++) {
		if (all[e].flags & FORCE_GATE)
			continue;
		if (count == EVENTS || all[e].object == FORCE_ANY_OBJECT ||
		    all[e].object != all[0].object)
			return false;
		events[count++] = (uint8_t)e;
	}
	return count == EVENTS && !events[0] &&
	       all[events[2]].thread == all[0].thread &&
	       all[events[1]].thread != all[0].thread;
}

void watch_begin(uint32_t rule)
{
	struct watch *w = &watches[rule];

	for (uint32_t i = 0; i < REMEMBERED; i++)
		w->begun[i].own.size = 0;
	w->is_watched = is_interleaving(&region->force.rules[rule], w->events);
}

bool watch_has(uint32_t rule, uint32_t event)
{
	const struct watch *w = &watches[rule];

	return w->is_watched &&
	       (event == w->events[0] || event == w->events[1] ||
		event == w->events[2]);
}

static bool is_on(const struct span *m, const struct force_stop *s)
{
	return m->size && m->addr < s->addr + s->size &&
	       s->addr < m->addr + m->size;
}

static void begin(struct watch *w, const struct force_stop *s)
{
	struct begun *at = NULL;

	for (uint32_t i = 0; i < REMEMBERED; i++) {
		struct begun *b = &w->begun[i];

		if (b->thread != s->thread || !is_on(&b->own, s))
			continue;
		b->own.size = 0;
		at = b;
	}
	if (!at)
		at = &w->begun[w->next++ % REMEMBERED];
	*at = (struct begun){ .own = { s->addr, s->size },
			      .thread = s->thread };
}

static void come_between(struct watch *w, const struct force_stop *s)
{
	for (uint32_t i = 0; i < REMEMBERED; i++)
		if (w->begun[i].thread != s->thread &&
		    is_on(&w->begun[i].own, s))
			w->begun[i].remote = (struct span){ s->addr, s->size };
}

static bool end(const struct watch *w, const struct force_stop *s)
{
	bool is_whole = false;

	for (uint32_t i = 0; i < REMEMBERED; i++) {
		const struct begun *b = &w->begun[i];

		is_whole |= b->thread == s->thread && is_on(&b->own, s) &&
			    is_on(&b->remote, s);
	}
	return is_whole;
}

void watch_forget(uint32_t rule, const struct force_stop *s)
{
	for (uint32_t i = 0; i < REMEMBERED; i++) {
		struct begun *b = &watches[rule].begun[i];

		if (b->thread == s->thread && is_on(&b->own, s))
			b->own.size = 0;
	}
}

bool watch_pass(uint32_t rule, uint32_t event, const struct force_stop *s)
{
	struct watch *w = &watches[rule];

	if (!w->is_watched)
		return false;
	if (event == w->events[2])
		return end(w, s);
	if (event == w->events[1])
		come_between(w, s);
	else if (event == w->events[0])
		begin(w, s);
	return false;
}
