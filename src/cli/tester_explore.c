/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn of `explore` in a test: a small program is tried on every schedule
 * that makes a difference, and then there is nothing more to look for.
 */
#include "cli/tester_search.h"
#include "explore/explorer.h"

static void tell(void *to, const struct explore_news *news)
{
	struct campaign_news now = { .made = news->runs,
				     .distinct = news->classes,
				     .failures = news->failures };

	search_tell(to, &now);
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
		.tell = tell,
		.to = s,
	};
	struct explore_result r;
	int rc = explore(&e, &r, err);

	if (rc == 0)
		rc = search_failures(s, "explore", &r.campaign, err);
	if (rc == 0) {
		search_count(s, "explore", r.campaign.made, r.classes,
			     r.campaign.seconds);
		s->t->is_complete = r.is_complete && !s->t->bugs.count;
		if (!s->t->stopped_by)
			s->t->stopped_by = r.campaign.stopped_by;
	}
	explore_done(&r);
	return rc;
}
