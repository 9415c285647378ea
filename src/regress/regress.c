/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/regress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "regress/derive.h"
#include "regress/regress_inner.h"
#include "regress/widen.h"
#include "trial/interrupts.h"
#include "trial/moved.h"

const char *regress_verdict_text(enum regress_verdict v)
{
	static const char *const texts[] = {
		[REGRESS_SAME] = "still broken: same bug",
		[REGRESS_OTHER] = "broken: another bug",
		[REGRESS_NOT_TRIGGERED] = "not triggered",
		[REGRESS_UNKNOWN] = "unknown",
	};

	return texts[v];
}

const char *regress_sure_text(enum regress_sure s)
{
	static const char *const texts[] = {
		[REGRESS_CERTAIN] = "certain",
		[REGRESS_LIKELY] = "likely",
		[REGRESS_POSSIBLE] = "possible",
	};

	return texts[s];
}

enum exit_status regress_status(const struct regress_result *r)
{
	if (r->has_failed)
		return EXIT_FAILED;
	switch (r->verdict) {
	case REGRESS_SAME:
	case REGRESS_OTHER:
		return EXIT_BROKEN;
	case REGRESS_NOT_TRIGGERED:
		return EXIT_HELD;
	default:
		return EXIT_UNKNOWN;
	}
}

/* ---- runs ---- */

bool regress_has_runs(const struct regress *r)
{
	return r->result->iterations.count < r->o->runs && !interrupts_came();
}

static bool is_better(const struct hunt_report *a, const struct hunt_report *b)
{
	return a->reached > b->reached;
}

/* A run was made with this setting: takes over what broke in it. */
static void take(struct regress *r, uint32_t signature,
		 const struct hunt_setting *set, struct hunt_run *run)
{
	struct regress_result *result = r->result;
	const struct signature *s = &result->signatures.all.at[signature];

	vec_push(&result->iterations,
		 (struct regress_iteration){
			 .kind = run->plan ? ITERATION_PERTURB : ITERATION_HUNT,
			 .signature = signature,
			 .set = *set,
			 .reached = run->report.reached,
			 .count = s->count,
			 .seconds = run->seconds,
			 .broke = run->captured != NULL });
	if (run->captured || is_better(&run->report, &r->report)) {
		r->report = run->report;
		result->signature = signature;
	}
	if (!run->captured)
		return;
	r->broken = run->captured;
	r->verdict = run->verdict;
	r->rules = run->plan;
	r->set = *set;
	run->captured = NULL;
	run->plan = NULL;
}

int regress_hunt(struct regress *r, uint32_t signature,
		 struct hunt_setting *set, struct hunt_report *report,
		 struct err *err)
{
	const struct signature *s = &r->result->signatures.all.at[signature];
	struct hunt_run run;

	set->seed = r->o->seed + r->result->iterations.count;
	if (hunter_run(&r->hunter, s, set, &run, err) < 0)
		return -1;
	take(r, signature, set, &run);
	if (report)
		*report = run.report;
	hunt_run_done(&run);
	return r->broken ? 1 : 0;
}

/* All of them at once in a free run. Where there is nothing to hold anybody
 * at, none is made. */
static int perturb(struct regress *r, const struct widening *all,
		   struct err *err)
{
	const struct signatures *s = &r->result->signatures;
	struct hunt_setting *sets = xcalloc(s->all.count + 1, sizeof(*sets));
	uint64_t seed = r->o->seed + r->result->iterations.count;
	struct hunt_run run;
	uint32_t which;
	int rc;

	for (size_t i = 0; i < s->all.count; i++) {
		sets[i] = all[i].now;
		sets[i].seed = seed;
	}
	rc = perturber_run(&r->perturber, s, sets, seed, &which, &run, err);
	if (rc == 0) {
		take(r, which, &sets[which], &run);
		hunt_run_done(&run);
	}
	free(sets);
	return rc < 0 ? -1 : r->broken ? 1 : 0;
}

/* In another build the schedule has places of that; the one that is kept stays
 * as it is. */
static struct captured *follow(struct again *a, bool is_same_build,
			       struct err *err)
{
	struct plan *moved;
	struct captured *run;
	size_t lost;

	if (is_same_build)
		return follower_run(&a->follower, a->repro->plan, false, err);
	moved = plan_moved(a->repro->plan, a->follower.worker.region, &lost);
	run = follower_run(&a->follower, moved, false, err);
	plan_free(moved);
	return run;
}

/* Rules name places by their addresses, and those of another build are found
 * by signatures. */
static bool can_replay(const struct regress *r)
{
	if (!regress_has_runs(r))
		return false;
	return r->result->is_same_build ||
	       (r->o->fits_schedule &&
		!rules_are_there(&r->again.repro->plan->rules));
}

/* The kept schedule, where it fits, or the kept rules: 1 when something
 * broke. */
static int replay(struct regress *r, struct err *err)
{
	struct again *a = &r->again;
	struct captured *run = a->repro->plan->rules.is_free ?
				       perturber_replay(&r->perturber, err) :
				       follow(a, r->result->is_same_build, err);

	if (!run)
		return -1;
	if (again_judge(a, run, &r->verdict, err) < 0) {
		captured_free(run);
		return -1;
	}
	vec_push(&r->result->iterations,
		 (struct regress_iteration){ .kind = ITERATION_REPLAY,
					     .broke = r->verdict.status ==
						      EXIT_BROKEN });
	if (r->verdict.status == EXIT_BROKEN) {
		r->broken = run;
		if (a->repro->plan->rules.is_free)
			r->rules = plan_copy(a->repro->plan);
		return 1;
	}
	verdict_done(&r->verdict);
	captured_free(run);
	return 0;
}

/* ---- the search ---- */

/* One signature until its search is over, or it has had its share. */
static int search_one(struct regress *r, uint32_t n, struct widening *w,
		      uint32_t share, struct err *err)
{
	for (uint32_t i = 0; i < share && !w->is_over && regress_has_runs(r);
	     i++) {
		struct hunt_report report;
		int rc = regress_hunt(r, n, &w->now, &report, err);

		if (rc)
			return rc;
		widening_learn(w, &report);
	}
	return 0;
}

/* All signatures at once by perturbing; then in turn under control, which also
 * tells what was missing: a few runs each, so that one that leads nowhere does
 * not use up the budget. */
static int search(struct regress *r, struct err *err)
{
	enum { SHARE = 4 };
	size_t count = r->result->signatures.all.count;
	struct widening *all = xcalloc(count + 1, sizeof(*all));
	int rc = 0;

	for (size_t n = 0; n < count; n++)
		widening_begin(&all[n], &r->result->signatures.all.at[n]);
	while (rc == 0 && count && regress_has_runs(r)) {
		rc = perturb(r, all, err);
		for (uint32_t n = 0; n < count && rc == 0; n++) {
			rc = search_one(r, n, &all[n], SHARE, err);
			if (all[n].is_over)
				widening_renew(&all[n]);
		}
	}
	free(all);
	return rc;
}

/* ---- telling ---- */

static void match_fill(struct regress *r, uint32_t k)
{
	const struct regress_result *result = r->result;
	const struct signature *s =
		&result->signatures.all.at[result->signature];
	const struct hunt_done *d = &r->report.done[k];
	struct code_map *m = r->hunter.map;
	const struct code_piece *p = d->site ? code_find(m, d->site - 1) : NULL;
	struct regress_match *to = &r->result->matches[k];
	const struct frame *f;
	const char *slash, *text;

	to->is_found = true;
	to->similarity = similar_measure(m, &s->events[k], d->site, WIDEN_MOST);
	to->distance = d->distance;
	to->thread = d->thread;
	if (!p)
		return;
	f = site_chain_told(&p->chain);
	slash = f->file ? strrchr(f->file, '/') : NULL;
	text = code_text(m, p);
	to->where = xasprintf("%s %s:%d", f->function ? f->function : "?",
			      slash   ? slash + 1 :
			      f->file ? f->file :
					"?",
			      f->line);
	to->source = xstrdup(text ? text : "");
}

static void matches_fill(struct regress *r)
{
	if (!r->hunter.map || !r->result->signatures.all.count)
		return;
	for (uint32_t k = 0; k < r->report.reached && k < HUNT_EVENTS; k++)
		match_fill(r, k);
}

/* ---- all of it ---- */

/* From the repro, or found out now if the build that failed is still there. */
static int find_signatures(struct regress *r, const char *name, struct err *err)
{
	struct again old;
	struct err ignored;
	int rc;

	rc = signatures_load(&r->result->signatures, r->again.repro->path, err);
	if (rc < 0 || r->result->signatures.all.count)
		return rc;
	if (again_open(&old, r->o->store, name, r->o->allows_check, &ignored) <
		    0 ||
	    signatures_of(&old, &r->result->signatures, &ignored) < 0)
		log_info("no signature of %s: %s", name, ignored.text);
	again_close(&old);
	return 0;
}

static int try_similar(struct regress *r, const char *name, struct err *err)
{
	struct regress_result *result = r->result;

	if (find_signatures(r, name, err) < 0)
		return -1;
	if (!result->signatures.all.count) {
		if (!result->iterations.count)
			result->verdict = REGRESS_UNKNOWN;
		result->why = xstrdup(
			"it has no signature, and none can be found out: the "
			"build that failed is gone");
		return 0;
	}
	return search(r, err);
}

static int try_it(struct regress *r, const char *name, struct err *err)
{
	struct again *a = &r->again;
	bool *is_same = &r->result->is_same_build;
	int rc = 0;

	if (again_start(a, err) < 0 || again_is_same_build(a, is_same, err) < 0)
		return -1;
	r->result->verdict = REGRESS_NOT_TRIGGERED;
	if (r->o->method == REGRESS_MAPLE)
		return regress_maple(r, err);
	if (hunter_init(&r->hunter, a, err) < 0)
		return -1;
	perturber_init(&r->perturber, a, r->o->store, r->hunter.map);
	if (can_replay(r))
		rc = replay(r, err);
	if (rc == 0)
		rc = try_similar(r, name, err);
	r->result->hunting = r->hunter.seconds + r->perturber.seconds;
	return rc == 1 && r->rules ? regress_convert(r, err) : rc;
}

static int finish(struct regress *r, struct err *err)
{
	struct regress_result *result = r->result;

	bool is_known;

	matches_fill(r);
	if (!r->broken)
		return 0;
	result->text = xstrdup(r->verdict.text);
	result->details = xstrdup(r->verdict.details ? r->verdict.details : "");
	/* The same failure of the same build is kept already. */
	is_known = result->is_same_build &&
		   strcmp(r->verdict.identity, r->again.repro->identity) == 0;
	if (r->o->keeps && !is_known) {
		if (regress_keep(r, err) < 0)
			return -1;
	} else {
		regress_compare_pairs(r, NULL);
	}
	regress_judge(r);
	return 0;
}

/* An interrupt is no failure, and no answer either. */
static void tell_interrupt(struct regress *r)
{
	struct regress_result *result = r->result;

	if (r->broken)
		return;
	result->verdict = REGRESS_UNKNOWN;
	free(result->why);
	result->why = xasprintf(
		"interrupted by SIG%s after %zu runs, in which nothing broke",
		sigabbrev_np(interrupts_came()), result->iterations.count);
}

int regress_run(const struct regress_options *o, const char *name,
		struct regress_result *result, struct err *err)
{
	struct regress r = { .o = o, .result = result };
	char *program = NULL;
	int rc = -1;

	*result = (struct regress_result){ .name = xstrdup(name),
					   .method = o->method };
	if (again_open(&r.again, o->store, name, o->allows_check, err) == 0) {
		double began = hunt_now();

		result->is_by_rules =
			rules_are_there(&r.again.repro->plan->rules);
		if (o->program)
			program = realpath(o->program, NULL);
		r.again.instead = program ? program : o->program;
		r.again.mode = AGAIN_CONTROLLED;
		rc = try_it(&r, name, err);
		if (interrupts_came()) {
			tell_interrupt(&r);
			rc = 0;
		}
		result->seconds = hunt_now() - began;
		result->was = xstrdup(r.again.repro->verdict);
		result->program = xstrdup(r.again.argv[0]);
		if (rc >= 0)
			rc = finish(&r, err);
	}
	if (r.broken) {
		captured_free(r.broken);
		verdict_done(&r.verdict);
	}
	plan_free(r.rules);
	perturber_done(&r.perturber);
	hunter_done(&r.hunter);
	again_close(&r.again);
	free(program);
	return rc < 0 ? -1 : 0;
}

void regress_done(struct regress_result *r)
{
	free(r->name);
	free(r->was);
	free(r->program);
	free(r->why);
	free(r->text);
	free(r->details);
	free(r->kept);
	for (uint32_t k = 0; k < HUNT_EVENTS; k++) {
		free(r->matches[k].where);
		free(r->matches[k].source);
	}
	blamed_done(&r->same.was);
	blamed_done(&r->same.now);
	signatures_done(&r->signatures);
	vec_free(&r->iterations);
	*r = (struct regress_result){ 0 };
}
