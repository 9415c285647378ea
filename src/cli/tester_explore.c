/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turns of `explore` in a test: a small program is tried on every schedule
 * that makes a difference, and then there is nothing more to look for.
 */
#include <stdlib.h>

#include "base/file.h"
#include "cli/tester_search.h"
#include "explore/explorer.h"

static void tell(void *to, const struct explore_news *news)
{
	struct campaign_news now = { .made = news->runs,
				     .distinct = news->classes,
				     .failures = news->failures };

	search_tell(to, &now);
}

static void take(struct search *s, uint64_t ms, const struct explore_result *r)
{
	search_count(s, "explore", r->campaign.made,
		     r->classes > s->t->classes ? r->classes - s->t->classes :
						  0,
		     r->campaign.seconds);
	s->t->classes = r->classes;
	s->explore_ms = ms;
	s->is_endless = r->left > r->runs;
	s->t->is_complete = r->is_complete && !s->t->bugs.count;
}

/* That a program makes more accesses than a run may have points says nothing of
 * it, and strategies do without such points then. So does exploring, from its
 * next turn on; what has too many points even so is unknown. */
static void forgive_cut(struct search *s, struct explore_result *r)
{
	for (size_t i = 0; i < r->campaign.failures.count; i++) {
		struct verdict *v = &r->campaign.failures.at[i].verdict;

		if (v->kind != OUTCOME_LIMIT)
			continue;
		v->status = EXIT_HELD;
		s->explores_coarsely = true;
		search_note(s, "some schedules of explore ended at the limit "
			       "of points (--max-points allows more)");
	}
}

/* What was explored with other points is of no use. */
static char *state_path(const struct search *s, bool is_coarse)
{
	return xasprintf("%s/explored%s", s->scratch,
			 is_coarse ? "-coarsely" : "");
}

int search_explore(struct search *s, uint64_t ms, struct err *err)
{
	const struct tester_options *o = s->o;
	struct explore_options e = {
		.argv = o->argv,
		.guest = o->guest,
		.input = s->feed.fd,
		.ask = search_ask(s),
		.time_ms = ms,
		.workers = o->jobs,
		.all_failures = o->all,
		.outputs = &s->outputs,
		.search = SEARCH_MCM,
		.solver = SOLVER_ORDER,
		.window = EXPLORE_WINDOW,
		.tell = tell,
		.to = s,
	};
	bool is_coarse = s->is_coarse || s->explores_coarsely;
	struct explore_result r;
	char *state;
	int rc;

	if (!s->scratch)
		s->scratch = file_make_temporary(err);
	if (!s->scratch)
		return -1;
	state = state_path(s, is_coarse);
	e.state = state;
	if (is_coarse)
		e.ask.flags |= CONTROL_SYNC;
	rc = explore(&e, &r, err);
	if (rc == 0 && !is_coarse)
		forgive_cut(s, &r);
	if (rc == 0)
		rc = search_failures(s, "explore", &r.campaign, err);
	if (rc == 0)
		take(s, ms, &r);
	explore_done(&r);
	free(state);
	return rc;
}
