/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores. A wait takes a token that was there at first or that an earlier
 * post brought, and no token is taken twice.
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

/* True: there may be no token left for somebody. */
static bool find_waits(const struct causal_trace *t, uint32_t semaphore,
		       struct tokens *k)
{
	bool has_failed = false;

	k->count = 0;
	for (uint32_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];

		if (is_on(e, CAUSAL_SEM_WAIT, semaphore))
			k->waits[k->count++] = i;
		has_failed |= is_on(e, CAUSAL_SEM_FAIL, semaphore);
	}
	return has_failed || t->semaphores.at[semaphore] < k->count;
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
		vec_push(&m->takers, (struct causal_taker){ wait, x });
	}
	causal_at_most_one(m, &k->takers);
	vec_push(&m->tokens,
		 (struct causal_token){ semaphore, post,
					m->takers.count - k->takers.count,
					k->takers.count });
}

static void add_semaphore(struct causal *m, struct tokens *k,
			  uint32_t semaphore)
{
	const struct causal_trace *t = m->trace;

	if (!find_waits(t, semaphore, k))
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
