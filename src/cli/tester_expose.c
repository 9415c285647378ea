/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn of `expose` in a test: one free run is watched, and what could go
 * wrong in it is made to happen.
 */
#include <stdlib.h>

#include "cli/tester_search.h"
#include "expose/expose.h"

static void tell(void *to, const struct expose_news *news)
{
	struct search *s = to;
	struct campaign_news now = { .made = news->runs,
				     .failures = news->bugs };

	search_tell(s, &now);
}

/* How many of the interleavings that may happen were seen to happen. */
static void coverage(struct tested *t, const struct expose_result *r)
{
	const struct unserial_result *u = r->unserial;

	if (r->findings) {
		t->races = (int)r->findings->race_count;
		t->cycles = (int)r->findings->lockcycle_count;
	}
	if (!u)
		return;
	t->exercised = (int)u->by_status[UNSERIAL_EXERCISED];
	t->feasible = t->exercised + (int)u->by_status[UNSERIAL_OPEN] +
		      (int)u->by_status[UNSERIAL_LIKELY];
	for (size_t i = 0; i < r->candidates.count; i++) {
		const struct expose_candidate *c = &r->candidates.at[i];

		if (c->kind == EXPOSE_INTERLEAVING && c->rank &&
		    c->state >= EXPOSE_BENIGN)
			t->exercised++;
	}
	if (t->exercised > t->feasible)
		t->exercised = t->feasible;
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

int search_expose(struct search *s, uint64_t ms, struct err *err)
{
	struct expose_options o = {
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
	struct expose_result r;
	int rc = expose_run(&o, &r, err);

	if (rc == 0) {
		coverage(s->t, &r);
		if (r.observed_broken && !s->outputs.judges_status)
			s->t->native_ending = xstrdup(r.observed_text);
		rc = bugs_add(s, &r, err);
		search_count(s, "expose", r.runs, r.runs, r.seconds);
		if (!s->t->stopped_by)
			s->t->stopped_by = r.stopped_by;
	}
	expose_done(&r);
	return rc;
}
