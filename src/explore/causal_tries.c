/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries. One of a lock fails where another thread has the lock at that moment,
 * one of a semaphore where every token that has come by then is taken; else it
 * succeeds. Which of both is a question like that of a read.
 *
 * A try that succeeded binds others as a lock or a wait does (causal_locks.c,
 * causal_semaphores.c). One that failed binds nobody; it must find what made it
 * fail.
 */
#include "explore/causal_model.h"

static bool is_of_semaphore(const struct causal_event *e)
{
	return e->kind == CAUSAL_SEM_WAIT || e->kind == CAUSAL_SEM_FAIL;
}

/* ---- locks ---- */

/* May this section stand in the way of the try? */
static bool may_refuse(const struct causal *m, uint32_t event,
		       const struct causal_section *s)
{
	const struct causal_event *e = &m->trace->events.at[event];

	return s->lock == e->object && s->thread != e->thread &&
	       !(s->shared && e->shared) &&
	       !must_be_before(m, event, s->enter) &&
	       (s->leave == CAUSAL_NOBODY ||
		!must_be_before(m, s->leave, event));
}

/* The literal that the section is under way at the event. */
static literal add_inside(struct causal *m, uint32_t event,
			  const struct causal_section *s)
{
	literal x = solver_variable(m->solver, m->there[event]);

	causal_clause(m, literal_not(x), m->present[s->enter]);
	causal_clause(m, literal_not(x), causal_before(m, s->enter, event));
	if (s->leave != CAUSAL_NOBODY)
		causal_clause(m, literal_not(x),
			      causal_before(m, event, s->leave));
	return x;
}

/* Under q: the section is not under way at the event. */
static void add_outside(struct causal *m, uint32_t event,
			const struct causal_section *s, literal q)
{
	literal no = literal_not(q), left = LITERAL_FALSE;

	if (s->leave != CAUSAL_NOBODY) {
		left = causal_before(m, s->leave, event);
		causal_clause(m, no, literal_not(left), m->present[s->leave]);
	}
	causal_clause(m, no, literal_not(m->present[s->enter]),
		      causal_before(m, event, s->enter), left);
}

/* Under q: somebody has the lock. */
static void add_held(struct causal *m, uint32_t event, literal q,
		     struct literals *made)
{
	size_t first = made->count;

	for (size_t i = 0; i < m->sections.count; i++)
		if (may_refuse(m, event, &m->sections.at[i]))
			vec_push(made,
				 add_inside(m, event, &m->sections.at[i]));
	vec_push(made, literal_not(q));
	solver_clause(m->solver, made->at + first, made->count - first);
	made->count--;
}

static void add_free(struct causal *m, uint32_t event, literal q)
{
	for (size_t i = 0; i < m->sections.count; i++)
		if (may_refuse(m, event, &m->sections.at[i]))
			add_outside(m, event, &m->sections.at[i], q);
}

/* ---- semaphores ---- */

/* The literal that this wait has taken its token before the event. */
static literal add_taken(struct causal *m, uint32_t event,
			 const struct causal_taker *taker)
{
	literal x = solver_variable(m->solver, taker->l);

	causal_clause(m, literal_not(x), taker->l);
	causal_clause(m, literal_not(x), causal_before(m, taker->wait, event));
	return x;
}

/* Under q: that token has not come yet, or it is taken. */
static void add_spent(struct causal *m, uint32_t event,
		      const struct causal_token *token, literal q,
		      struct literals *made)
{
	size_t first = made->count;

	for (size_t i = 0; i < token->takers; i++) {
		struct causal_taker taker = m->takers.at[token->first + i];

		if (taker.wait != event &&
		    !must_be_before(m, event, taker.wait))
			vec_push(made, add_taken(m, event, &taker));
	}
	if (token->post != CAUSAL_NOBODY)
		vec_push(made, causal_before(m, event, token->post));
	vec_push(made, literal_not(q));
	solver_clause(m->solver, made->at + first, made->count - first);
	made->count -= 1 + (token->post != CAUSAL_NOBODY);
}

/* The literal that this token is there at the event. */
static literal add_token_left(struct causal *m, uint32_t event,
			      const struct causal_token *token)
{
	literal x = solver_variable(m->solver, m->there[event]);

	if (token->post != CAUSAL_NOBODY) {
		causal_clause(m, literal_not(x), m->present[token->post]);
		causal_clause(m, literal_not(x),
			      causal_before(m, token->post, event));
	}
	for (size_t i = 0; i < token->takers; i++) {
		const struct causal_taker *k = &m->takers.at[token->first + i];

		if (k->wait != event)
			causal_clause(m, literal_not(x), literal_not(k->l),
				      causal_before(m, event, k->wait));
	}
	return x;
}

static bool is_hopeless(const struct causal *m, uint32_t event,
			const struct causal_token *token)
{
	return token->post != CAUSAL_NOBODY &&
	       must_be_before(m, event, token->post);
}

static void add_tokens_spent(struct causal *m, uint32_t event, literal q,
			     struct literals *made)
{
	uint32_t semaphore = m->trace->events.at[event].object;

	for (size_t i = 0; i < m->tokens.count; i++) {
		const struct causal_token *t = &m->tokens.at[i];

		if (t->semaphore == semaphore && !is_hopeless(m, event, t))
			add_spent(m, event, t, q, made);
	}
}

static void add_some_token(struct causal *m, uint32_t event, literal q,
			   struct literals *made)
{
	uint32_t semaphore = m->trace->events.at[event].object;
	size_t first = made->count;

	for (size_t i = 0; i < m->tokens.count; i++) {
		const struct causal_token *t = &m->tokens.at[i];

		if (t->semaphore == semaphore && !is_hopeless(m, event, t))
			vec_push(made, add_token_left(m, event, t));
	}
	vec_push(made, literal_not(q));
	solver_clause(m->solver, made->at + first, made->count - first);
	made->count--;
}

/* ---- both ---- */

/* Under q: the try fails. */
static void add_failure(struct causal *m, uint32_t event, literal q,
			struct literals *made)
{
	if (is_of_semaphore(&m->trace->events.at[event]))
		add_tokens_spent(m, event, q, made);
	else
		add_held(m, event, q, made);
}

void causal_add_try(struct causal *m, uint32_t event, literal q,
		    struct literals *made)
{
	const struct causal_event *e = &m->trace->events.at[event];

	if (!causal_failed(e))
		add_failure(m, event, q, made);
	else if (is_of_semaphore(e))
		add_some_token(m, event, q, made);
	else
		add_free(m, event, q);
}

bool causal_may_turn(const struct causal *m, uint32_t event)
{
	const struct causal_event *e = &m->trace->events.at[event];

	if (is_of_semaphore(e)) {
		for (size_t i = 0; i < m->tokens.count; i++)
			if (m->tokens.at[i].semaphore == e->object)
				return true;
		return false;
	}
	for (size_t i = 0; i < m->sections.count; i++)
		if (may_refuse(m, event, &m->sections.at[i]))
			return true;
	return false;
}

void causal_add_tries(struct causal *m)
{
	struct literals made = { 0 };

	for (uint32_t i = 0; i < m->trace->events.count; i++) {
		if (!causal_failed(&m->trace->events.at[i]))
			continue;
		made.count = 0;
		add_failure(m, i, m->present[i], &made);
	}
	vec_free(&made);
}
