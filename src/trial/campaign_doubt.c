/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is what broke the program's own? Runs that are made at the same time may
 * meet: in a file of the same name, at the same port. And a program may do what
 * nobody controls. So a failure is believed when its schedule gives it again,
 * with no other run beside it.
 *
 * One that does not come again is taken back, and the rest of the campaign is
 * made one run at a time. If that fails and does not come again either, or runs
 * are chosen by whoever drives the hands, the verdict is unknown.
 *
 * Races are told from a run's events, not from what it came to, and need no
 * second one.
 */
#include "trial/campaign_inner.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trial/follower.h"

enum { REPLAYS = 3 };

static bool is_same(const struct captured *run, const struct outputs *outputs,
		    const struct failure *f)
{
	struct verdict v;
	struct err ignored;
	bool is_same;

	if (oracle_judge(run, outputs, &v, &ignored) < 0)
		return false;
	is_same = v.status == EXIT_BROKEN &&
		  strcmp(v.identity, f->verdict.identity) == 0;
	verdict_done(&v);
	return is_same;
}

/* What cannot be replayed, since we are interrupted for instance, has nothing
 * against it. */
static bool comes_again(const struct campaign *c, struct follower *follower,
			const struct failure *f)
{
	struct plan *plan = captured_plan(f->captured);
	bool is_again = false;

	for (int i = 0; i < REPLAYS && !is_again; i++) {
		struct err why;
		struct captured *run =
			follower_run(follower, plan, false, &why);

		if (!run)
			log_info("cannot replay: %s", why.text);
		is_again = !run || is_same(run, c->o->outputs, f);
		captured_free(run);
	}
	plan_free(plan);
	return is_again;
}

static bool is_doubtful(const struct failure *f)
{
	return f->verdict.status == EXIT_BROKEN &&
	       f->verdict.kind != OUTCOME_RACE && !f->is_again;
}

/* Marks those that come again; true if all of them did. */
static bool replay_all(struct campaign *c)
{
	const struct control_ask *o = &c->o->ask;
	struct control_ask ask = { .points_most = o->points_most,
				   .hang_ms = o->hang_ms,
				   .memory_most = o->memory_most };
	struct campaign_result *r = c->result;
	struct launch launch = c->launch;
	struct follower follower;
	bool are_all = true;
	struct err why;

	/* That the campaign's time is up is no reason to believe or not. */
	launch.stop = NULL;
	if (follower_start(&follower, &launch, &ask, c->cpus[0], &why) < 0) {
		log_info("cannot replay: %s", why.text);
		return true;
	}
	for (size_t i = 0; i < r->failures.count; i++) {
		struct failure *f = &r->failures.at[i];

		if (!is_doubtful(f))
			continue;
		f->is_again = comes_again(c, &follower, f);
		are_all &= f->is_again;
	}
	follower_stop(&follower);
	return are_all;
}

static bool has_doubtful(const struct campaign_result *r)
{
	for (size_t i = 0; i < r->failures.count; i++)
		if (is_doubtful(&r->failures.at[i]))
			return true;
	return false;
}

static void call_unknown(struct failure *f, bool was_alone)
{
	char *text = xasprintf(
		"%s, once, and not again in %d replays of its schedule: "
		"something is not controlled%s",
		f->verdict.text, REPLAYS,
		was_alone ? "" : ", or runs get into each other's way (-j 1)");

	free(f->verdict.text);
	f->verdict.text = text;
	f->verdict.status = EXIT_UNKNOWN;
}

static void note_taken_back(struct campaign *c, const struct failure *f)
{
	char *note = xasprintf(
		"run %llu failed beside other runs (%s) and not by itself, so "
		"they share something, files or ports: from there on one run at "
		"a time (-j 1; --exec gives each a directory of its own)",
		(unsigned long long)f->index + 1, f->verdict.text);

	vec_push(&c->result->notes, note);
}

/* Takes back what did not come again, and begins anew with the first of that,
 * one run at a time. Failures that runs above it showed are met again. */
static void go_back(struct campaign *c)
{
	struct campaign_result *r = c->result;
	size_t kept = 0;

	c->next = UINT64_MAX;
	for (size_t i = 0; i < r->failures.count; i++) {
		struct failure *f = &r->failures.at[i];

		if (!is_doubtful(f)) {
			r->failures.at[kept++] = *f;
			continue;
		}
		if (f->index < c->next) {
			c->next = f->index;
			note_taken_back(c, f);
		}
		failure_done(f);
	}
	r->failures.count = kept;
	/* Those that learned learn again. */
	if (c->next < LEARNING_RUNS) {
		campaign_unlearn(c);
		c->next = 0;
	}
	c->made = c->next;
	c->limit = c->o->runs ? c->o->runs : UINT64_MAX;
	c->is_alone = true;
	keymap_done(&c->keys);
	c->keys = (struct keymap){ 0 };
}

bool campaign_doubt(struct campaign *c)
{
	struct campaign_result *r = c->result;
	bool was_alone;

	if (!c->o->doubts || r->stopped_by || !has_doubtful(r) || replay_all(c))
		return false;
	was_alone = c->is_alone || campaign_workers(c) == 1 || c->o->runs == 1;
	if (!was_alone && !c->o->drive) {
		go_back(c);
		return true;
	}
	for (size_t i = 0; i < r->failures.count; i++)
		if (is_doubtful(&r->failures.at[i]))
			call_unknown(&r->failures.at[i], was_alone);
	return false;
}
