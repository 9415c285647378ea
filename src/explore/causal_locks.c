/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutual exclusion. Of two sections of different threads that are both
 * entered, one is left before the other is entered. A section that is not
 * entered binds nobody, and one that is entered but not left keeps all others
 * out.
 */
#include "explore/causal_model.h"

struct section {
	uint32_t thread, lock;
	bool shared;
	uint32_t enter, leave; /* leave may be CAUSAL_NOBODY */
};

struct sections {
	struct section *at;
	size_t count, room;
};

static bool is_entering(const struct causal_event *e, uint32_t *lock)
{
	*lock = e->kind == CAUSAL_WAKE ? e->lock : e->object;
	return e->kind == CAUSAL_LOCK || e->kind == CAUSAL_WAKE;
}

static bool is_leaving(const struct causal_event *e, uint32_t *lock)
{
	*lock = e->kind == CAUSAL_WAIT ? e->lock : e->object;
	return e->kind == CAUSAL_UNLOCK || e->kind == CAUSAL_WAIT;
}

static void close_section(struct sections *all, uint32_t thread, uint32_t lock,
			  uint32_t event)
{
	for (size_t i = all->count; i--;) {
		struct section *s = &all->at[i];

		if (s->thread == thread && s->lock == lock) {
			s->leave = event;
			return;
		}
	}
}

static struct sections find_sections(const struct causal_trace *t)
{
	struct sections all = { 0 };

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];
		uint32_t lock;

		if (is_entering(e, &lock))
			vec_push(&all,
				 (struct section){ e->thread, lock, e->shared,
						   i, CAUSAL_NOBODY });
		else if (is_leaving(e, &lock))
			close_section(&all, e->thread, lock, i);
	}
	return all;
}

/* The literal "a is left before b is entered", which then is so. */
static literal left_before(struct causal *m, const struct section *a,
			   const struct section *b)
{
	literal l;

	if (a->leave == CAUSAL_NOBODY)
		return LITERAL_FALSE;
	l = causal_before(m, a->leave, b->enter);
	causal_clause(m, literal_not(l), literal_not(m->present[b->enter]),
		      m->present[a->leave]);
	return l;
}

/* Is the one left before the other is entered, whenever that is? */
static bool is_over(const struct causal *m, const struct section *a,
		    const struct section *b)
{
	return a->leave != CAUSAL_NOBODY &&
	       (must_be_before(m, a->leave, b->enter) ||
		causal_is_needed(m, a->leave, b->enter));
}

static void exclude(struct causal *m, const struct section *a,
		    const struct section *b)
{
	if (is_over(m, a, b) || is_over(m, b, a))
		return;
	causal_clause(m, literal_not(m->present[a->enter]),
		      literal_not(m->present[b->enter]), left_before(m, a, b),
		      left_before(m, b, a));
}

void causal_add_locks(struct causal *m)
{
	struct sections all = find_sections(m->trace);

	for (size_t i = 0; i < all.count; i++) {
		const struct section *a = &all.at[i];

		for (size_t k = i + 1; k < all.count; k++) {
			const struct section *b = &all.at[k];

			if (a->lock == b->lock && a->thread != b->thread &&
			    !(a->shared && b->shared))
				exclude(m, a, b);
		}
	}
	vec_free(&all);
}
