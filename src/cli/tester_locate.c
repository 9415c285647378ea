/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tester_search.h"

#include <string.h>

#include "cli/located_keep.h"

enum {
	TIME_MOST = 8000, /* milliseconds */
	PART = 4,	  /* of the time left, at most */
	PASSING = 40,	  /* runs to compare with */
};

/* A check is run only if it is the one that this test was given. */
static bool is_our_check(const struct search *s, const struct repro *r)
{
	size_t ours = s->outputs.check.count;

	if (ours != r->check.count + (r->check.count > 0))
		return false;
	for (size_t i = 0; i < r->check.count; i++)
		if (strcmp(s->outputs.check.at[i], r->check.at[i]) != 0)
			return false;
	return true;
}

/* Where every thread waits for another the cycle is the cause, and a race is
 * its own; neither is a matter of access pairs. */
static bool is_worth_it(const struct search *s, const struct evidence *e)
{
	return e->witness && e->times && e->same == e->times &&
	       e->repro->outcome != OUTCOME_DEADLOCK &&
	       e->repro->outcome != OUTCOME_RACE && is_our_check(s, e->repro);
}

/* What an earlier test or heddle locate left there may be of another build; it
 * is told no more, unless it is found again. That nothing could be located is
 * no reason to say less of the failure. */
void search_locate(struct search *s, struct evidence *e, uint64_t ms_left)
{
	struct locate_options o = locate_defaults;
	struct located l = { 0 };
	struct err err;

	evidence_forget_located(e);
	if (!is_worth_it(s, e) || !ms_left)
		return;
	o.time_ms = ms_left / PART < TIME_MOST ? ms_left / PART : TIME_MOST;
	o.gather.time_ms = o.time_ms / 2;
	o.gather.most = PASSING;
	o.gather.native = 0;
	o.gather.delayed = 0;
	o.report_most = 1;
	o.allows_check = e->repro->check.count;
	if (locate_repro(s->o->store, e->repro->name, &o, NULL, &l, &err) ==
	    0) {
		located_keep(&l, s->o->store);
		evidence_load_located(e);
	}
	located_done(&l);
}
