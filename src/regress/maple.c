/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maple, the baseline: it knows the command and nothing of the failure. Some
 * runs profile the build for its iRoots (iroot.h); then each is tried, in the
 * order of the idioms, by the same hunt that signatures are tried with, at its
 * very places. Runs that were made count, those of the profile too.
 *
 * Finds: what the patterns of two to four events can, given the runs.
 * Misses, wrong when: as iroot.h says.
 */
#include "regress/regress_inner.h"

#include "regress/iroot.h"
#include "regress/recorded.h"

/*
 * Maple profiles runs that go as they go, until nothing new comes. Ours are
 * under control, and as near to that as it gets: a thread runs until it must
 * wait, but for a switch now and then. On small programs a few have it all.
 */
enum { PROFILE_RUNS = 3, PROFILE_RUNS_MOST = 30, PROFILE_NOISE = 1 };

/* The first iRoots are those seen first; one of an earlier run is not new. */
static void take(struct regress *r, const struct recorded *run,
		 const struct candidates *found)
{
	struct signatures *all = &r->result->signatures;

	for (size_t i = 0; i < found->all.count; i++) {
		struct signature s;

		if (!recorded_signature(run, r->hunter.map, &found->all.at[i],
					&s))
			continue;
		if (signatures_have(all, &s))
			signature_done(&s);
		else
			vec_push(&all->all, s);
	}
}

static void iroots_take(struct regress *r, const struct recorded *run)
{
	struct candidates found = { 0 };
	size_t count = run->events.count;
	struct event *events = xcalloc(count + 1, sizeof(*events));

	for (size_t i = 0; i < count; i++) {
		uint32_t node = run->events.at[i].stack;

		events[i] = run->events.at[i];
		events[i].stack = node && node < run->captured->stack_count ?
					  run->captured->stacks[node].site :
					  0;
	}
	iroots_find(events, count, &found);
	take(r, run, &found);
	vec_free(&found.all);
	free(events);
}

/* 1 when the run itself broke. */
static int profile(struct regress *r, struct err *err)
{
	struct again *a = &r->again;
	struct control_ask ask = a->follower.ask;
	struct recorded run;
	double began;
	int rc;

	a->follower.worker.control->hunt.count = 0;
	a->follower.worker.control->hunt.noise = PROFILE_NOISE;
	ask.strategy = STRATEGY_HUNT;
	ask.runs = 1;
	ask.seed = r->o->seed + r->result->iterations.count;
	ask.plan_count = 0;
	ask.processors = a->repro->plan->processors;
	ask.flags = a->repro->plan->flags | CONTROL_STOP | CONTROL_RECORD |
		    CONTROL_ALL;
	began = hunt_now();
	rc = recorded_run(&run, &a->follower.worker, &ask, err);
	if (rc == 0)
		iroots_take(r, &run);
	r->result->hunting += hunt_now() - began;
	if (rc == 0)
		rc = again_judge(a, run.captured, &r->verdict, err);
	if (rc == 0) {
		bool broke = r->verdict.status == EXIT_BROKEN;

		vec_push(&r->result->iterations,
			 (struct regress_iteration){ .kind = ITERATION_PROFILE,
						     .broke = broke });
		if (broke) {
			r->broken = run.captured;
			run.captured = NULL;
			rc = 1;
		} else {
			verdict_done(&r->verdict);
		}
	}
	recorded_done(&run);
	return rc;
}

static int try_each(struct regress *r, uint32_t round, struct err *err)
{
	enum { PASS = 64 };
	size_t count = r->result->signatures.all.count;
	int rc = 0;

	for (uint32_t n = 0; n < count && rc == 0 && regress_has_runs(r); n++) {
		struct hunt_setting set = { .flags = HUNT_ANY_STACK,
					    .pass = round ? PASS : 0 };

		for (uint32_t k = 0; k < HUNT_EVENTS; k++)
			set.widths[k].by = SIMILAR_OFFSET;
		rc = regress_hunt(r, n, &set, NULL, err);
	}
	return rc;
}

/* Is another profile wanted? Threads that never lived at the same time say
 * nothing of each other. */
static bool is_wanted(const struct regress *r, int made)
{
	return made < PROFILE_RUNS ||
	       (made < PROFILE_RUNS_MOST && !r->result->signatures.all.count);
}

int regress_maple(struct regress *r, struct err *err)
{
	int rc = hunter_init(&r->hunter, &r->again, err);

	for (int i = 0; is_wanted(r, i) && rc == 0 && regress_has_runs(r); i++)
		rc = profile(r, err);
	if (rc == 0 && !r->result->signatures.all.count) {
		r->result->why = xstrdup("no two threads of it met anywhere");
		return 0;
	}
	for (uint32_t round = 0; rc == 0 && regress_has_runs(r); round++)
		rc = try_each(r, round, err);
	r->result->hunting += r->hunter.seconds;
	return rc;
}
