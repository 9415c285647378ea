/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure becomes a repro. One that was found under control has its
 * schedule. One of a free run is tried again under control, with the rules
 * that were forced in it; what fails there is kept in its place. Where that
 * does not succeed the rules themselves are kept. Either is replayed several
 * times before it is told.
 */
#include "expose/expose_inner.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "store/again.h"

enum {
	REPLAYS = 5,
	CONVERT_RUNS = 600,
	CONVERT_MS = 2000,
};

/* The candidate that was forced last before the run failed, of those that the
 * run was given; SIZE_MAX: none was. */
static size_t candidate_of(const struct pass *p, const struct failure *f)
{
	const struct captured *c = f->captured;

	for (uint32_t i = c->mark_count; i-- > 0;)
		if (c->marks[i].what == FORCE_MARK_FORCED &&
		    c->marks[i].rule < p->which.count)
			return p->which.at[c->marks[i].rule];
	/* It may have failed before the last event of the rule. */
	for (uint32_t i = c->mark_count; i-- > 0;)
		if (c->marks[i].what == FORCE_MARK_HELD &&
		    c->marks[i].rule < p->which.count)
			return p->which.at[c->marks[i].rule];
	return SIZE_MAX;
}

/* ---- keeping ---- */

static int save(struct expose *e, const struct failure *f,
		const struct plan *plan, struct expose_bug *b, struct err *err)
{
	struct keeping k = e->o->keeping;

	k.strategy = plan ? "perturb" : "force";
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
	const struct force shape = { .rule_count = (uint32_t)p->which.count,
				     .window = p->window };
	uint32_t count, first;

	if (candidate != SIZE_MAX)
		vec_push(&to->which, candidate);
	first = force_window(&shape, f->captured->run.seed, &count);
	for (uint32_t i = first; i < first + count && to->which.count < 16; i++)
		if (p->which.at[i] != candidate)
			vec_push(&to->which, p->which.at[i]);
}

/* True: one of these failed under control. */
static bool convert_by(struct expose *e, const struct pass *to,
		       struct campaign_result *found)
{
	struct campaign_options o;
	struct plan *plan = pass_plan(e, to);
	struct err ignored;
	int rc;

	o = pass_options(e, to, plan);
	o.seed = 0;
	o.all_failures = false;
	rc = campaign_run(&o, found, &ignored);
	e->r->runs += found->made;
	plan_free(plan);
	/* What cannot be controlled can be perturbed all the same. */
	return rc == 0 && found->failures.count &&
	       found->failures.at[0].verdict.status == EXIT_BROKEN;
}

/* A free failure under control: first by what was forced in it, then by all
 * candidates, for other interleavings may lead to the same. */
static bool convert(struct expose *e, const struct pass *p,
		    const struct failure *f, size_t candidate,
		    struct campaign_result *found)
{
	struct pass near = { .window = 1,
			     .runs = CONVERT_RUNS,
			     .ms = CONVERT_MS };
	struct pass all = { .window = 1, .ms = CONVERT_MS };
	bool is_found;

	convert_which(p, f, candidate, &near);
	is_found = convert_by(e, &near, found);
	if (!is_found) {
		campaign_done(found);
		for (size_t i = 0; i < e->r->candidates.count; i++)
			vec_push(&all.which, i);
		is_found = convert_by(e, &all, found);
	}
	pass_done(&near);
	pass_done(&all);
	return is_found;
}

/* The plan by which a free run did what it did. */
static struct plan *plan_of(const struct expose *e, const struct pass *p,
			    const struct failure *f)
{
	struct plan *plan = pass_plan(e, p);

	plan->seed = f->captured->run.seed;
	return plan;
}

static int keep_free(struct expose *e, const struct pass *p,
		     const struct failure *f, struct expose_bug *b,
		     struct err *err)
{
	struct plan *plan = plan_of(e, p, f);
	int rc = save(e, f, plan, b, err);

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
	struct expose_bug b = { .candidate = candidate_of(p, f),
				.seconds = expose_now() - e->began,
				.was_free = p->is_free };
	struct campaign_result found = { 0 };
	int rc;

	if (is_known(e->r, f->verdict.identity))
		return 0;
	if (b.candidate != SIZE_MAX) {
		e->r->candidates.at[b.candidate].state = EXPOSE_BUG;
		if (!e->r->candidates.at[b.candidate].seconds)
			e->r->candidates.at[b.candidate].seconds = b.seconds;
	}
	if (!p->is_free) {
		rc = keep_exact(e, f, &b, err);
	} else if (e->o->method == EXPOSE_CTRIGGER &&
		   convert(e, p, f, b.candidate, &found)) {
		rc = keep_exact(e, &found.failures.at[0], &b, err);
	} else {
		verdict_copy(&b.verdict, &f->verdict);
		rc = keep_free(e, p, f, &b, err);
	}
	campaign_done(&found);
	if (rc == 0)
		replay(e, &b);
	vec_push(&e->r->bugs, b);
	return rc;
}
