/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutual exclusion. Of two sections of different threads that are both
 * entered, one is left before the other is entered. A section that is not
 * entered binds nobody, and one that is entered but not left keeps all others
 * out.
 */
#include "explore/causal_model.h"

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

static void close_section(struct causal *m, uint32_t thread, uint32_t lock,
			  uint32_t event)
{
	for (size_t i = m->sections.count; i--;) {
		struct causal_section *s = &m->sections.at[i];

		if (s->thread == thread && s->lock == lock) {
			s->leave = event;
			return;
		}
	}
}

static void find_sections(struct causal *m)
{
	const struct causal_trace *t = m->trace;

	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];
		uint32_t lock;

		if (is_entering(e, &lock))
			vec_push(&m->sections,
				 (struct causal_section){ e->thread, lock,
							  e->shared, i,
							  CAUSAL_NOBODY });
		else if (is_leaving(e, &lock))
			close_section(m, e->thread, lock, i);
	}
}

/* The literal "a is left before b is entered", which then is so. */
static literal left_before(struct causal *m, const struct causal_section *a,
			   const struct causal_section *b)
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
static bool is_over(const struct causal *m, const struct causal_section *a,
		    const struct causal_section *b)
{
	return a->leave != CAUSAL_NOBODY &&
	       (must_be_before(m, a->leave, b->enter) ||
		causal_is_needed(m, a->leave, b->enter));
}

static void exclude(struct causal *m, const struct causal_section *a,
		    const struct causal_section *b)
{
	if (is_over(m, a, b) || is_over(m, b, a))
		return;
	causal_clause(m, literal_not(m->present[a->enter]),
		      literal_not(m->present[b->enter]), left_before(m, a, b),
		      left_before(m, b, a));
}

void causal_add_locks(struct causal *m)
{
	find_sections(m);
	for (size_t i = 0; i < m->sections.count; i++) {
		const struct causal_section *a = &m->sections.at[i];

		for (size_t k = i + 1; k < m->sections.count; k++) {
			const struct causal_section *b = &m->sections.at[k];

			if (a->lock == b->lock && a->thread != b->thread &&
			    !(a->shared && b->shared))
				exclude(m, a, b);
		}
	}
}
