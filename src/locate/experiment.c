/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "trial/interrupts.h"

enum {
	POINTS_TIMES = 20, /* an experiment may take so many times the points
			      of the failure, and some more */
	POINTS_MORE = 50000,
	HANG_TIMES = 50, /* the time of the failing run without a point, or */
	HANG_PART = 4,	 /* a part of the time that is left; but at least */
	HANG_LEAST_MS = 1000,
};

/* ---- limits ---- */

/* An order that makes the program hang must not take all the time. How long
 * a run takes is known. */
static uint64_t hang_within(const struct gathered *g, uint64_t deadline,
			    uint64_t hang)
{
	uint64_t now = locate_now_ms(), most = HANG_TIMES * g->failed_ms;

	if (deadline && deadline < now + HANG_PART * most)
		most = deadline > now ? (deadline - now) / HANG_PART : 0;
	if (most < HANG_LEAST_MS)
		most = HANG_LEAST_MS;
	return most < hang ? most : hang;
}

struct experiments experiments_begin(struct again *a, struct gathered *g,
				     uint64_t deadline)
{
	struct control_ask *ask = &a->follower.ask;
	struct experiments e = { .again = a,
				 .g = g,
				 .deadline = deadline,
				 .had_points = ask->points_most,
				 .had_hang = ask->hang_ms };
	uint64_t enough = POINTS_TIMES * a->repro->points + POINTS_MORE;

	/* What an order makes spin for ever is not worth waiting for. */
	if (enough < ask->points_most)
		ask->points_most = enough;
	if (a->repro->outcome != OUTCOME_HANG)
		ask->hang_ms = hang_within(g, deadline, ask->hang_ms);
	return e;
}

void experiments_end(struct experiments *e)
{
	e->again->follower.ask.points_most = e->had_points;
	e->again->follower.ask.hang_ms = e->had_hang;
}

bool experiments_are_late(const struct experiments *e)
{
	return interrupts_came() ||
	       (e->deadline && locate_now_ms() >= e->deadline);
}

/* ---- names ---- */

uint32_t experiment_site(const struct experiments *e, uint32_t place)
{
	const struct region *r = e->again->follower.worker.region;

	return place ? pair_place_site(e->g->names, place, r->modules,
				       atomic_load(&r->module_count)) :
		       0;
}

uint32_t experiment_thread(const struct experiments *e, uint16_t thread)
{
	const struct region *r = e->again->follower.worker.region;
	const char *wanted = e->g->names->threads.at[thread];
	uint32_t count = atomic_load(&r->thread_count);

	for (uint32_t i = 0; i < count; i++) {
		char *path = pair_thread_path(r->threads, count, i);
		bool is_it = strcmp(path, wanted) == 0;

		free(path);
		if (is_it)
			return i;
	}
	return UINT32_MAX;
}

/* ---- runs ---- */

static enum ended ended_of(struct experiments *e, const struct captured *run,
			   struct err *err)
{
	enum ended ended = ENDED_OTHER;
	struct verdict v;

	if (again_judge(e->again, run, &v, err) < 0)
		return ENDED_ERROR;
	if (v.status == EXIT_HELD)
		ended = ENDED_HELD;
	else if (v.status == EXIT_BROKEN &&
		 strcmp(v.identity, e->again->repro->identity) == 0)
		ended = ENDED_SAME;
	verdict_done(&v);
	return ended;
}

enum ended experiment_take(struct experiments *e, const struct plan *plan,
			   struct order_rule *rules, uint32_t count,
			   struct plan **taken, struct err *err)
{
	struct captured *run = follower_run_by_rules(&e->again->follower, plan,
						     rules, count, err);
	enum ended ended;

	*taken = NULL;
	if (!run)
		return ENDED_ERROR;
	ended = ended_of(e, run, err);
	if (ended != ENDED_ERROR)
		*taken = captured_plan(run);
	captured_free(run);
	return ended;
}

enum ended experiment_run(struct experiments *e, const struct plan *plan,
			  struct order_rule *rules, uint32_t count,
			  struct err *err)
{
	struct captured *run = follower_run_by_rules(&e->again->follower, plan,
						     rules, count, err);
	enum ended ended = run ? ended_of(e, run, err) : ENDED_ERROR;

	captured_free(run);
	return ended;
}
