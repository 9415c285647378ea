/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure becomes a repro. One that was found under control has its
 * schedule. One of a free run is tried again under control, with the rules
 * that were forced in it, with all there are, and by strategies that need none;
 * what fails there is kept in its place. Where that does not succeed the rules
 * themselves are kept. Either is replayed several times before it is told.
 */
#include "expose/expose_inner.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/keymap.h"
#include "store/again.h"

enum {
	REPLAYS = 5,
	CONVERT_RUNS = 600,
	CONVERT_MS = 2000,
};

/* The rules that the run was given. */
static uint32_t window_of(const struct pass *p, const struct failure *f,
			  uint32_t *count)
{
	/* Too large for a stack: it has room for every rule. */
	struct force *shape = xcalloc(1, sizeof(*shape));
	uint32_t first;

	shape->rule_count = (uint32_t)p->which.count;
	shape->window = p->window;
	first = force_window(shape, f->captured->run.seed, count);
	free(shape);
	return first;
}

/* The candidate that was forced last before the run failed; else the one for
 * which a thread was held last, or the only one the run was given: it was tried
 * then. SIZE_MAX: none was. */
static size_t candidate_of(const struct pass *p, const struct failure *f,
			   bool *is_forced)
{
	const struct captured *c = f->captured;
	uint32_t count, first = window_of(p, f, &count);

	*is_forced = false;
	for (uint32_t i = c->mark_count; i-- > 0;)
		if (c->marks[i].what == FORCE_MARK_FORCED &&
		    c->marks[i].rule < p->which.count) {
			*is_forced = true;
			return p->which.at[c->marks[i].rule];
		}
	for (uint32_t i = c->mark_count; i-- > 0;)
		if (c->marks[i].what == FORCE_MARK_HELD &&
		    c->marks[i].rule < p->which.count)
			return p->which.at[c->marks[i].rule];
	return count == 1 ? p->which.at[first] : SIZE_MAX;
}

/* ---- keeping ---- */

static int save(struct expose *e, const struct failure *f,
		const struct plan *plan, struct expose_bug *b, struct err *err)
{
	struct keeping k = e->o->keeping;

	k.strategy = plan ? "perturb" :
			    strategy_text(f->captured->ask.strategy);
	return keeping_save(&k, f->captured, &f->verdict, plan, &b->name,
			    &b->was_known, err);
}

/* How often the repro gives the failure again. */
static void replay(struct expose *e, struct expose_bug *b)
{
	struct again a;
	struct err err;
	bool is_open =
		again_open(&a, e->o->keeping.store, b->name, true, &err) == 0;

	if (is_open && again_start(&a, &err) == 0)
		for (b->times = 0; b->times < REPLAYS;) {
			struct captured *run = follower_run(
				&a.follower, a.repro->plan, false, &err);

			if (!run)
				break;
			b->times++;
			b->again += again_is_same(run, &a);
			captured_free(run);
		}
	again_close(&a);
}

/* ---- converting ---- */

/* The rules of the window that the failing run had, or the one candidate that
 * was forced in it. */
static void convert_which(const struct pass *p, const struct failure *f,
			  size_t candidate, struct pass *to)
{
	uint32_t count, first = window_of(p, f, &count);

	if (candidate != SIZE_MAX)
		vec_push(&to->which, candidate);
	for (uint32_t i = first; i < first + count && to->which.count < 16; i++)
		if (p->which.at[i] != candidate)
			vec_push(&to->which, p->which.at[i]);
}

/* True: one of these failed under control. */
static bool convert_by(struct expose *e, const struct pass *to,
		       uint32_t strategy, struct campaign_result *found)
{
	struct campaign_options o;
	struct plan *plan = pass_plan(e, to);
	struct err ignored;
	int rc;

	o = pass_options(e, to, plan);
	o.ask.strategy = strategy;
	if (strategy != STRATEGY_FORCE)
		o.rules = NULL;
	o.seed = 0;
	o.all_failures = false;
	rc = campaign_run(&o, found, &ignored);
	e->r->runs += found->made;
	plan_free(plan);
	/* What cannot be controlled can be perturbed all the same. */
	return rc == 0 && found->failures.count &&
	       found->failures.at[0].verdict.status == EXIT_BROKEN;
}

/* Long enough for some runs, but not all there is. */
static uint64_t convert_ms(const struct expose *e)
{
	enum { RUNS = 60, PART = 6 };
	uint64_t ms = e->run_ms * RUNS, most = e->o->budget_ms / PART;

	if (ms > most)
		ms = most;
	return ms > CONVERT_MS ? ms : CONVERT_MS;
}

/* By rules: first by what was forced in the run, then by all candidates, for
 * other interleavings may lead to the same. */
static bool convert_forced(struct expose *e, const struct pass *p,
			   const struct failure *f, struct expose_bug *b,
			   struct campaign_result *found)
{
	uint64_t ms = convert_ms(e);
	struct pass near = { .window = 1, .runs = CONVERT_RUNS, .ms = ms };
	struct pass all = { .window = 1, .ms = ms };
	bool is_found;

	convert_which(p, f, b->candidate, &near);
	is_found = convert_by(e, &near, STRATEGY_FORCE, found);
	if (!is_found) {
		campaign_done(found);
		for (size_t i = 0; i < e->r->candidates.count; i++)
			vec_push(&all.which, i);
		is_found = convert_by(e, &all, STRATEGY_FORCE, found);
	}
	/* What is kept is that run, and what was forced in it. */
	if (is_found)
		b->candidate = candidate_of(all.which.count ? &all : &near,
					    &found->failures.at[0],
					    &b->is_forced);
	pass_done(&near);
	pass_done(&all);
	return is_found;
}

/* The same, but for a second where the budget is used up: it is the last
 * resort, twice. */
static uint64_t unforced_ms(const struct expose *e)
{
	uint64_t ms = convert_ms(e), left = expose_left_ms(e) / 2;

	if (ms > left)
		ms = left;
	return ms > CONVERT_MS / 2 ? ms : CONVERT_MS / 2;
}

/* Without rules: what being held did to a free run, it may have done by mere
 * delay, of which time under control knows nothing. These look for whatever
 * breaks; so it has to be the same. */
static bool convert_unforced(struct expose *e, const struct failure *f,
			     struct campaign_result *found)
{
	static const uint32_t ways[] = { STRATEGY_SURW, STRATEGY_RANDOM };
	const struct pass none = { .ms = unforced_ms(e) };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		campaign_done(found);
		if (convert_by(e, &none, ways[i], found) &&
		    strcmp(found->failures.at[0].verdict.identity,
			   f->verdict.identity) == 0)
			return true;
	}
	return false;
}

/* A free failure under control. */
static bool convert(struct expose *e, const struct pass *p,
		    const struct failure *f, struct expose_bug *b,
		    struct campaign_result *found)
{
	return convert_forced(e, p, f, b, found) ||
	       convert_unforced(e, f, found);
}

/* The plan by which a free run did what it did. */
static struct plan *plan_of(const struct expose *e, const struct pass *p,
			    const struct failure *f)
{
	struct plan *plan = pass_plan(e, p);

	plan->seed = f->captured->run.seed;
	return plan;
}

/* ---- isolating ---- */

/* One candidate alone, free: how many of a few runs fail, and the seed of the
 * first of them. */
static uint64_t alone(struct expose *e, const struct pass *p, size_t candidate,
		      uint64_t *seed)
{
	enum { RUNS = 12, MS = 2000 };
	struct pass one = { .is_free = true,
			    .window = 1,
			    .runs = RUNS,
			    .ms = MS,
			    .flags = p->flags };
	struct campaign_result c;
	struct campaign_options o;
	struct plan *plan;
	struct err ignored;
	uint64_t failed = 0;

	vec_push(&one.which, candidate);
	plan = pass_plan(e, &one);
	o = pass_options(e, &one, plan);
	o.all_failures = true;
	if (campaign_run(&o, &c, &ignored) == 0)
		for (size_t i = 0; i < c.failures.count; i++)
			if (c.failures.at[i].verdict.status == EXIT_BROKEN) {
				failed += c.failures.at[i].count;
				*seed = o.seed + c.failures.at[i].index;
			}
	e->r->runs += c.made;
	e->r->free_runs += c.made;
	campaign_done(&c);
	plan_free(plan);
	pass_done(&one);
	return failed;
}

/* Of the rules that did something to the run, the one that makes it fail most
 * often by itself: SIZE_MAX when none does. */
static size_t isolate(struct expose *e, const struct pass *p,
		      const struct failure *f, uint64_t *seed)
{
	const struct captured *c = f->captured;
	struct keymap seen = { 0 };
	uint64_t most = 0, one = 0;
	size_t best = SIZE_MAX;

	for (uint32_t i = c->mark_count; i-- > 0 && expose_left_ms(e);) {
		uint32_t rule = c->marks[i].rule, *n;
		uint64_t failed;

		if (c->marks[i].what == FORCE_MARK_PASSED ||
		    rule >= p->which.count)
			continue;
		n = keymap_at(&seen, rule, 0);
		if (*n)
			continue;
		*n = 1;
		failed = alone(e, p, p->which.at[rule], &one);
		if (failed > most) {
			most = failed;
			best = p->which.at[rule];
			*seed = one;
		}
	}
	keymap_done(&seen);
	return best;
}

static int keep_free(struct expose *e, const struct pass *p,
		     const struct failure *f, struct expose_bug *b,
		     struct err *err)
{
	struct pass one = { .is_free = true, .window = 1, .flags = p->flags };
	uint64_t seed = f->captured->run.seed;
	size_t best = p->which.count > 1 ? isolate(e, p, f, &seed) : SIZE_MAX;
	struct plan *plan;
	int rc;

	if (best == SIZE_MAX) {
		plan = plan_of(e, p, f);
	} else {
		b->candidate = best;
		vec_push(&one.which, best);
		plan = pass_plan(e, &one);
		plan->seed = seed;
	}
	rc = save(e, f, plan, b, err);
	pass_done(&one);
	plan_free(plan);
	return rc;
}

/* ---- bugs ---- */

static bool is_known(const struct expose_result *r, const char *identity)
{
	for (size_t i = 0; i < r->bugs.count; i++)
		if (strcmp(r->bugs.at[i].verdict.identity, identity) == 0)
			return true;
	return false;
}

static void verdict_copy(struct verdict *to, const struct verdict *from)
{
	*to = *from;
	to->text = xstrdup(from->text);
	to->identity = xstrdup(from->identity);
	to->details = xstrdup(from->details ? from->details : "");
}

static int keep_exact(struct expose *e, const struct failure *f,
		      struct expose_bug *b, struct err *err)
{
	b->is_exact = true;
	verdict_copy(&b->verdict, &f->verdict);
	if (save(e, f, NULL, b, err) < 0)
		return -1;
	if (!b->was_known)
		again_make_readable(e->o->keeping.store, b->name);
	return 0;
}

int bug_found(struct expose *e, const struct pass *p, const struct failure *f,
	      struct err *err)
{
	struct expose_bug b = { .seconds = expose_now() - e->began,
				.was_free = p->is_free };
	struct campaign_result found = { 0 };
	int rc;

	if (is_known(e->r, f->verdict.identity))
		return 0;
	b.candidate = candidate_of(p, f, &b.is_forced);
	if (!p->is_free) {
		rc = keep_exact(e, f, &b, err);
	} else if (e->o->method == EXPOSE_CTRIGGER &&
		   convert(e, p, f, &b, &found)) {
		rc = keep_exact(e, &found.failures.at[0], &b, err);
	} else {
		verdict_copy(&b.verdict, &f->verdict);
		rc = keep_free(e, p, f, &b, err);
	}
	campaign_done(&found);
	if (b.candidate != SIZE_MAX) {
		e->r->candidates.at[b.candidate].state = EXPOSE_BUG;
		if (!e->r->candidates.at[b.candidate].seconds)
			e->r->candidates.at[b.candidate].seconds = b.seconds;
	}
	if (rc == 0)
		replay(e, &b);
	vec_push(&e->r->bugs, b);
	return rc;
}
