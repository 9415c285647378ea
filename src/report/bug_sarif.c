/* SPDX-License-Identifier: Apache-2.0 */
#include "report/bug_sarif.h"

#include <stdlib.h>
#include <string.h>

#include "report/cause.h"
#include "report/sarif.h"

enum { STEPS_MOST = 400 };

/* A result and what it points to. */
struct made {
	struct sarif_result result;
	VEC(struct sarif_step) steps;
	VEC(char *) texts;
	char *rule;
};

char *bug_sarif_rule(const char *kind)
{
	char *rule = xstrdup(kind);

	for (char *p = rule; *p; p++)
		if (*p == ' ')
			*p = '-';
	return rule;
}

static const char *keep(struct made *m, char *text)
{
	vec_push(&m->texts, text);
	return text;
}

static struct sarif_place place_of(const struct witness *w, uint32_t n)
{
	const struct witness_place *p;

	if (n == WITNESS_NONE)
		return (struct sarif_place){ 0 };
	p = &w->places.at[n];
	return (struct sarif_place){ .file = p->line > 0 ? p->file : NULL,
				     .line = p->line,
				     .column = p->column,
				     .function = p->function };
}

/* "write balance" */
static char *step_text_of(const struct witness *w, const struct witness_step *s)
{
	if (s->location == WITNESS_NONE)
		return xstrdup(event_text(s->kind));
	return xasprintf("%s %s", event_text(s->kind),
			 w->locations.at[s->location].name);
}

static bool is_suspect(const struct culprit *c, uint32_t i)
{
	return c->kind != CULPRIT_NONE &&
	       (i == c->first || i == c->between || i == c->last);
}

/* Beside a switch, or to be looked at first. */
static bool is_told(const struct document_bug *b, uint32_t i)
{
	const struct witness *w = b->witness;
	uint32_t thread = w->steps.at[i].thread;

	return is_suspect(&b->culprit, i) || i + 1 == w->steps.count ||
	       (i > 0 && w->steps.at[i - 1].thread != thread) ||
	       w->steps.at[i + 1].thread != thread;
}

static void step_add(struct made *m, const struct document_bug *b, uint32_t i)
{
	const struct witness *w = b->witness;
	const struct witness_step *s = &w->steps.at[i];
	struct sarif_step step = { .thread = s->thread,
				   .place = place_of(w, s->place),
				   .is_essential = is_suspect(&b->culprit, i) };

	step.place.message = keep(m, step_text_of(w, s));
	vec_push(&m->steps, step);
}

/* All steps if they are few, and else the last ones that tell something. */
static void steps_add(struct made *m, const struct document_bug *b)
{
	uint32_t count = (uint32_t)b->witness->steps.count, told = 0, from;
	bool all = count <= STEPS_MOST;

	for (from = count; from > 0 && told < STEPS_MOST; from--)
		told += all || is_told(b, from - 1);
	for (uint32_t i = 0; i < count; i++)
		if (all || is_suspect(&b->culprit, i) ||
		    (i >= from && is_told(b, i)))
			step_add(m, b, i);
}

/* Where the run ended; of a race the last access at one of the two places that
 * its verdict names. */
static size_t end_of(const struct document_bug *b)
{
	const struct witness *w = b->witness;
	size_t end = w->steps.count - 1;
	bool is_race = b->repro->outcome == OUTCOME_RACE;

	for (size_t i = end + 1; is_race && i-- > 0;) {
		char *place = culprit_place(w, (uint32_t)i);
		char *named = xasprintf("(%s)", place);
		bool is_named = witness_is_access(&w->steps.at[i]) &&
				strstr(b->repro->verdict, named);

		free(place);
		free(named);
		if (is_named)
			return i;
	}
	return end;
}

static void result_make(struct made *m, const struct document_bug *b)
{
	const struct repro *r = b->repro;
	const struct witness *w = b->witness;

	*m = (struct made){ .rule = bug_sarif_rule(document_kind(r)) };
	m->result = (struct sarif_result){ .rule = m->rule,
					   .level = "error",
					   .message = r->verdict,
					   .fingerprint = r->identity,
					   .name = r->name };
	if (!w || !w->steps.count)
		return;
	steps_add(m, b);
	if (b->culprit.kind != CULPRIT_NONE) {
		struct cause cause = cause_find(w, &b->culprit, b->located);

		m->result.message =
			keep(m, xasprintf("%s: %s; %s", r->verdict, cause.title,
					  cause.advice));
		m->result.place =
			place_of(w, w->steps.at[b->culprit.last].place);
		cause_done(&cause);
	} else {
		m->result.place = place_of(w, w->steps.at[end_of(b)].place);
	}
	m->result.steps = m->steps.at;
	m->result.step_count = m->steps.count;
	m->result.threads = (const char *const *)w->threads.at;
	m->result.thread_count = w->threads.count;
}

static void made_done(struct made *m)
{
	for (size_t i = 0; i < m->texts.count; i++)
		free(m->texts.at[i]);
	vec_free(&m->texts);
	vec_free(&m->steps);
	free(m->rule);
}

void bug_sarif_write(const struct document *d, const char *root, FILE *out)
{
	struct made *made = xcalloc(d->count + 1, sizeof(*made));
	struct sarif_result *results = xcalloc(d->count + 1, sizeof(*results));
	struct sarif_log log = { root, results, d->count };

	for (size_t i = 0; i < d->count; i++) {
		result_make(&made[i], &d->bugs[i]);
		results[i] = made[i].result;
	}
	sarif_write(&log, out);
	for (size_t i = 0; i < d->count; i++)
		made_done(&made[i]);
	free(results);
	free(made);
}
