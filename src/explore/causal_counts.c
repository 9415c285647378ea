/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores and barriers. A semaphore's wait takes a token that was there at
 * first or that an earlier post brought, and no token is taken twice. The
 * threads of a barrier keep the rounds that they had.
 */
#include "explore/causal_model.h"

struct tokens {
	struct literals *taken; /* by wait: the tokens it may take */
	uint32_t *waits;	/* events */
	size_t count;
	struct literals takers; /* of one token */
};

static bool is_on(const struct causal_event *e, enum causal_kind kind,
		  uint32_t object)
{
	return e->kind == kind && e->object == object;
}

static void find_waits(const struct causal_trace *t, uint32_t semaphore,
		       struct tokens *k)
{
	k->count = 0;
	for (uint32_t i = 0; i < t->events.count; i++)
		if (is_on(&t->events.at[i], CAUSAL_SEM_WAIT, semaphore))
			k->waits[k->count++] = i;
}

/* One more token; post may be CAUSAL_NOBODY. */
static void add_token(struct causal *m, struct tokens *k, uint32_t semaphore,
		      uint32_t post)
{
	k->takers.count = 0;
	for (size_t i = 0; i < k->count; i++) {
		uint32_t wait = k->waits[i];
		literal x;

		if (post != CAUSAL_NOBODY && must_be_before(m, wait, post))
			continue;
		x = solver_variable(m->solver, m->present[wait]);
		causal_clause(m, literal_not(x), m->present[wait]);
		if (post != CAUSAL_NOBODY) {
			causal_clause(m, literal_not(x), m->present[post]);
			causal_clause(m, literal_not(x),
				      causal_before(m, post, wait));
		}
		vec_push(&k->takers, x);
		vec_push(&k->taken[i], x);
	}
	causal_at_most_one(m, &k->takers);
	vec_push(&m->tokens,
		 (struct causal_token){ semaphore, post, m->takers.count,
					k->takers.count });
	for (size_t i = 0; i < k->takers.count; i++)
		vec_push(&m->takers, k->takers.at[i]);
}

static void add_semaphore(struct causal *m, struct tokens *k,
			  uint32_t semaphore)
{
	const struct causal_trace *t = m->trace;

	find_waits(t, semaphore, k);
	if (t->semaphores.at[semaphore] >= k->count)
		return;
	for (uint32_t i = 0; i < t->semaphores.at[semaphore]; i++)
		add_token(m, k, semaphore, CAUSAL_NOBODY);
	for (uint32_t i = 0; i < t->events.count; i++)
		if (is_on(&t->events.at[i], CAUSAL_SEM_POST, semaphore))
			add_token(m, k, semaphore, i);
	for (size_t i = 0; i < k->count; i++) {
		causal_at_most_one(m, &k->taken[i]);
		vec_push(&k->taken[i], literal_not(m->present[k->waits[i]]));
		solver_clause(m->solver, k->taken[i].at, k->taken[i].count);
		k->taken[i].count = 0;
	}
}

void causal_add_semaphores(struct causal *m)
{
	size_t events = m->trace->events.count;
	struct tokens k = {
		.taken = xcalloc(events + 1, sizeof(*k.taken)),
		.waits = xcalloc(events + 1, sizeof(*k.waits)),
	};

	for (uint32_t i = 0; i < m->trace->semaphores.count; i++)
		add_semaphore(m, &k, i);
	for (size_t i = 0; i < events; i++)
		vec_free(&k.taken[i]);
	vec_free(&k.takers);
	free(k.taken);
	free(k.waits);
}

/* Must one be before the other at a barrier? Of a round, all enter before any
 * leaves, and the last one enters last; rounds come one after another. */
static bool barrier_orders(const struct causal_event *a,
			   const struct causal_event *b)
{
	if (a->kind != CAUSAL_BARRIER_ENTER || a->object != b->object)
		return false;
	if (b->kind == CAUSAL_BARRIER_LEAVE)
		return a->round == b->round;
	if (b->kind != CAUSAL_BARRIER_ENTER)
		return false;
	return a->round + 1 == b->round ||
	       (a->round == b->round && b->serial && !a->serial);
}

void causal_add_barriers(struct causal *m)
{
	const struct causal_trace *t = m->trace;

	if (!t->barriers.count)
		return;
	for (uint32_t a = 0; a < t->events.count; a++)
		for (uint32_t b = 0; b < t->events.count; b++)
			if (a != b &&
			    barrier_orders(&t->events.at[a], &t->events.at[b]))
				causal_edge(m, a, b);
}
