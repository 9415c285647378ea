/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn of `expose` in a test: one free run is watched, before anything
 * else, and what could go wrong in it is made to happen later.
 */
#include <stdlib.h>

#include "cli/tester_search.h"

static void tell(void *to, const struct expose_news *news)
{
	struct search *s = to;
	struct campaign_news now = { .made = news->runs,
				     .failures = news->bugs };

	search_tell(s, &now);
}

static struct expose_options options_of(struct search *s, uint64_t ms)
{
	return (struct expose_options){
		.guest = s->o->guest,
		.keeping = search_keeping(s, "expose"),
		.method = EXPOSE_CTRIGGER,
		.rank = UNSERIAL_BY_GAP,
		.budget_ms = ms,
		.jobs = s->o->jobs,
		.seed = s->o->seed,
		.all_failures = s->o->all,
		.memory_most = s->o->memory_most,
		.tell = tell,
		.to = s,
	};
}

/* ---- what the watched run says ---- */

static void moment_add(struct tested *t, double seconds)
{
	if (t->exercised > t->feasible)
		t->exercised = t->feasible;
	vec_push(&t->coverage, (struct tester_moment){ seconds, t->exercised });
}

static void watched(struct search *s, const struct expose_result *r)
{
	const struct unserial_result *u = r->unserial;
	struct tested *t = s->t;

	if (r->findings) {
		t->races = (int)r->findings->race_count;
		t->cycles = (int)r->findings->lockcycle_count;
	}
	if (r->observed_broken && !s->outputs.judges_status)
		t->native_ending = xstrdup(r->observed_text);
	if (!u)
		return;
	t->exercised = (int)u->by_status[UNSERIAL_EXERCISED];
	t->feasible = t->exercised + (int)u->by_status[UNSERIAL_OPEN] +
		      (int)u->by_status[UNSERIAL_LIKELY];
	moment_add(t, search_seconds(s));
}

int search_watch(struct search *s, uint64_t ms, struct err *err)
{
	struct expose_options o = options_of(s, ms);
	int rc = expose_watch(&o, &s->watched, err);

	s->is_watched = rc == 0;
	if (rc == 0)
		watched(s, &s->watched);
	return rc;
}

/* ---- what was forced ---- */

static int by_seconds(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Interleavings that were made to happen have been exercised, one after the
 * other since `began`. */
static void forced(struct search *s, const struct expose_result *r,
		   double began)
{
	VEC(double) when = { 0 };

	for (size_t i = 0; i < r->candidates.count; i++) {
		const struct expose_candidate *c = &r->candidates.at[i];

		if (c->kind == EXPOSE_INTERLEAVING && c->rank &&
		    c->state >= EXPOSE_BENIGN)
			vec_push(&when, began + c->seconds);
	}
	if (when.count)
		qsort(when.at, when.count, sizeof(*when.at), by_seconds);
	for (size_t i = 0; i < when.count; i++) {
		s->t->exercised++;
		moment_add(s->t, when.at[i]);
	}
	moment_add(s->t, search_seconds(s));
	vec_free(&when);
}

static int bugs_add(struct search *s, const struct expose_result *r,
		    struct err *err)
{
	for (size_t i = 0; i < r->bugs.count; i++)
		if (r->bugs.at[i].name &&
		    search_bug(s, r->bugs.at[i].name, s->t->schedules + r->runs,
			       err) < 0)
			return -1;
	return 0;
}

/* Its budget counts what watching took, and so do its times. */
int search_expose(struct search *s, uint64_t ms, struct err *err)
{
	struct expose_result *r = &s->watched;
	double spent = r->seconds, began = search_seconds(s) - spent;
	struct expose_options o = options_of(s, ms + (uint64_t)(spent * 1000));
	int rc = expose_force(&o, r, err);

	if (rc == 0) {
		forced(s, r, began);
		rc = bugs_add(s, r, err);
		search_count(s, "expose", r->runs, r->runs, r->seconds - spent);
	}
	return rc;
}
