/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/confirm.h"

#include <stdlib.h>
#include <string.h>

#include "locate/experiment.h"

enum {
	SCHEDULES = 8, /* passing ones that an order is tried in */
	FAILURES = 3,  /* that are enough */
	NEIGHBOURS = 4,
};

struct confirming {
	struct experiments *e;
	const struct gathered *g;
	struct plan *plain; /* the failing plan without its steps: each thread
			       runs until it cannot */
	bool plain_holds;
	bool allows_less;
};

static bool is_late(const struct confirming *c)
{
	return experiments_are_late(c->e);
}

/* ---- naming accesses ---- */

static struct order_access access_of(const struct confirming *c,
				     const struct pair_end *e,
				     const struct order_probe *at, bool gates)
{
	return (struct order_access){
		.thread = experiment_thread(c->e, e->thread),
		.site = experiment_site(c->e, e->place),
		.visit = at->visit,
		.gate_site = gates ? at->gate_site : 0,
		.gate_visit = gates ? at->gate_visit : 0,
	};
}

static bool can_name(const struct order_access *a)
{
	return a->thread != UINT32_MAX && a->site;
}

/* ---- probing: which visit of its site was an access? ---- */

static struct captured *probe_run(struct confirming *c, const struct plan *plan,
				  const struct suspect *s, struct err *err)
{
	struct follower *f = &c->e->again->follower;
	struct order_probe *probes = f->worker.control->probes;
	struct captured *run;

	for (uint32_t i = 0; i < 2 * s->count; i++) {
		const struct pair_line *p = &s->pairs[i / 2];
		const struct pair_end *e = i % 2 ? &p->tail : &p->head;

		probes[i] = (struct order_probe){ .thread = experiment_thread(
							  c->e, e->thread),
						  .access = e->count };
	}
	f->ask.probe_count = 2 * s->count;
	run = follower_run(f, plan, false, err);
	f->ask.probe_count = 0;
	return run;
}

/* The plan of the run that the suspect's moments are of; NULL: it was free. */
static const struct plan *plan_of(const struct confirming *c,
				  const struct suspect *s, uint32_t run)
{
	if (!s->is_missing)
		return c->e->again->repro->plan;
	return run < c->g->plans.count ? c->g->plans.at[run] : NULL;
}

static int probe(struct confirming *c, const struct suspect *s, uint32_t run,
		 struct confirmation *result, struct err *err)
{
	const struct order_probe *probes =
		c->e->again->follower.worker.control->probes;
	const struct plan *plan = plan_of(c, s, run);
	struct captured *made;

	if (!plan)
		return 0;
	made = probe_run(c, plan, s, err);
	if (!made)
		return -1;
	captured_free(made);
	for (uint32_t i = 0; i < 2 * s->count; i++) {
		const struct pair_line *p = &s->pairs[i / 2];
		const struct pair_end *e = i % 2 ? &p->tail : &p->head;

		if (probes[i].site == experiment_site(c->e, e->place))
			result->at[i / 2][i % 2] = probes[i];
	}
	return 0;
}

/* ---- experiments ---- */

/* The first of each came before the second, if that came at all. */
static bool are_kept(const struct order_rule *rules, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (rules[i].state != ORDER_KEPT &&
		    rules[i].state != ORDER_FIRST)
			return false;
	return true;
}

static int reverse_one(struct confirming *c, const struct suspect *s,
		       uint32_t i, const struct plan *plan, bool gates,
		       struct confirmation *result, struct err *err)
{
	const struct pair_line *p = &s->pairs[i];
	struct order_rule rule = {
		.first = access_of(c, &p->tail, &result->at[i][1], gates),
		.second = access_of(c, &p->head, &result->at[i][0], gates),
	};
	enum ended ended;

	if (!can_name(&rule.first) || !can_name(&rule.second))
		return 0;
	ended = experiment_run(c->e, plan, &rule, 1, err);
	if (ended == ENDED_ERROR)
		return -1;
	if (!are_kept(&rule, 1))
		return 0;
	result->reversal_possible = true;
	result->reversal_holds = ended == ENDED_HELD;
	return 0;
}

static int reverse_in(struct confirming *c, const struct suspect *s,
		      const struct plan *plan, struct confirmation *result,
		      struct err *err)
{
	for (uint32_t i = 0;
	     i < 2 * s->count && !result->reversal_holds && !is_late(c); i++)
		if (reverse_one(c, s, i / 2, plan, i % 2 == 0, result, err) < 0)
			return -1;
	return 0;
}

/* The plan, but nobody takes the turn from this thread. */
static struct plan *plan_without(const struct plan *plan, uint32_t thread)
{
	struct plan *p = plan_copy(plan);
	size_t kept = 0;

	for (size_t i = 0; i < p->steps.count; i++) {
		struct plan_step *step = &p->steps.at[i];

		if (step->what == STEP_PREEMPT && step->thread == thread)
			plan_step_done(step);
		else
			p->steps.at[kept++] = *step;
	}
	p->steps.count = kept;
	return p;
}

/* The switch that interrupts the thread of the head is there to bring the order
 * about. In a loop it may strike again when the order is gone, in the next
 * round; then it is left out. */
static int reverse(struct confirming *c, const struct suspect *s,
		   struct confirmation *result, struct err *err)
{
	const struct plan *failing = c->e->again->repro->plan;
	struct plan *less;
	int rc = reverse_in(c, s, failing, result, err);

	if (rc < 0 || !c->allows_less || !result->reversal_possible ||
	    result->reversal_holds)
		return rc;
	less = plan_without(failing,
			    experiment_thread(c->e, s->pairs[0].head.thread));
	if (less->steps.count < failing->steps.count)
		rc = reverse_in(c, s, less, result, err);
	plan_free(less);
	return rc;
}

/* How an order is enforced. Of two threads that need the same lock neither can
 * be held while it has it; of others the one that was first is held at once. */
static const struct manner {
	enum order_adjoining adjoining;
	bool gates;
} manners[] = {
	{ ORDER_AT_ONCE, false },
	{ ORDER_UNLOCKED, true },
	{ ORDER_LOOSE, true },
	{ ORDER_LOOSE, false },
};

enum { MANNERS = sizeof(manners) / sizeof(*manners) };

static int enforce_in(struct confirming *c, const struct suspect *s,
		      const struct plan *plan, const struct manner *how,
		      struct confirmation *result, struct err *err)
{
	struct order_rule rules[2];
	enum ended ended;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct pair_line *p = &s->pairs[i];

		rules[i] = (struct order_rule){
			.first = access_of(c, &p->head, &result->at[i][0],
					   how->gates),
			.second = access_of(c, &p->tail, &result->at[i][1],
					    how->gates),
			.adjoining = how->adjoining,
		};
		if (!can_name(&rules[i].first) || !can_name(&rules[i].second))
			return 0;
	}
	ended = experiment_run(c->e, plan, rules, s->count, err);
	if (ended == ENDED_ERROR)
		return -1;
	return !are_kept(rules, s->count) ? 0 : ended == ENDED_SAME ? 2 : 1;
}

/* One schedule, in every manner until one brings the failure back. */
static int enforce_all_ways(struct confirming *c, const struct suspect *s,
			    const struct plan *plan,
			    struct confirmation *result, struct err *err)
{
	int best = 0;

	for (int i = 0; i < MANNERS && best < 2 && !is_late(c); i++) {
		/* Two pairs that hold each other need no more. */
		const struct manner *how =
			&manners[s->count > 1 ? MANNERS - 1 - i : i];
		int rc = enforce_in(c, s, plan, how, result, err);

		if (rc < 0)
			return -1;
		if (rc > best)
			best = rc;
	}
	result->enforced += best > 0;
	result->failed += best == 2;
	return 0;
}

static int enforce(struct confirming *c, const struct suspect *s,
		   struct confirmation *result, struct err *err)
{
	uint32_t tried = 0;

	if (c->plain_holds && enforce_all_ways(c, s, c->plain, result, err) < 0)
		return -1;
	for (size_t i = 0; i < c->g->plans.count && tried < SCHEDULES &&
			   result->failed < FAILURES && !is_late(c);
	     i++) {
		if (!c->g->plans.at[i])
			continue;
		tried++;
		if (enforce_all_ways(c, s, c->g->plans.at[i], result, err) < 0)
			return -1;
	}
	return 0;
}

/* The run that the pair of a missing suspect was seen in first: its reverse
 * was in this one. */
static uint32_t run_of(const struct confirming *c, const struct suspect *s)
{
	for (uint32_t r = 0; s->is_missing && r < c->g->passing.count; r++) {
		const struct pair_run *run = c->g->passing.at[r];

		for (size_t i = 0; i < run->pairs.count; i++) {
			const struct pair_line *p = &run->pairs.at[i];

			if (p->head.place == s->pairs[0].tail.place &&
			    p->tail.place == s->pairs[0].head.place &&
			    p->head.count == s->pairs[0].tail.count &&
			    p->tail.count == s->pairs[0].head.count &&
			    p->first == s->pairs[0].first)
				return r;
		}
	}
	return UINT32_MAX;
}

/* Does the pair lead back from the other one, or to it, at the same memory? */
static bool is_neighbour(const struct pair_line *p, const struct pair_line *q)
{
	if (p->addr != q->addr || p->head.thread != q->tail.thread ||
	    p->tail.thread != q->head.thread)
		return false;
	return (p->head.count >= q->tail.count &&
		p->tail.count > q->head.count) ||
	       (p->tail.count <= q->head.count &&
		p->head.count < q->tail.count);
}

/* The pair that leads back from the suspect, as far as this one tells of it.
 * Who else has read in between, makes it lead from there: then the thread of
 * the head comes back to the same memory by itself. */
static bool neighbour_of(const struct pair_line *p, const struct pair_line *s,
			 struct pair_line *back)
{
	*back = *p;
	if (is_neighbour(p, s))
		return true;
	back->head = s->tail;
	return p->addr == s->addr && p->tail.thread == s->head.thread &&
	       p->head.thread != s->tail.thread &&
	       p->tail.count > s->head.count && p->first > s->first;
}

static int enforce_with_neighbours(struct confirming *c,
				   const struct suspect *s,
				   struct confirmation *result, struct err *err)
{
	const struct pair_run *f = c->g->failing;
	uint32_t tried = 0;

	for (size_t i = 0; i < f->pairs.count && !result->failed &&
			   tried < NEIGHBOURS && !is_late(c);
	     i++) {
		struct suspect both = *s;

		if (!neighbour_of(&f->pairs.at[i], &s->pairs[0],
				  &both.pairs[1]))
			continue;
		tried++;
		both.count = 2;
		if (probe(c, &both, UINT32_MAX, result, err) < 0 ||
		    enforce(c, &both, result, err) < 0)
			return -1;
	}
	return 0;
}

static int try_suspect(struct confirming *c, const struct suspect *s,
		       struct confirmation *result, struct err *err)
{
	result->was_tried = true;
	if (probe(c, s, run_of(c, s), result, err) < 0 ||
	    reverse(c, s, result, err) < 0)
		return -1;
	if (!result->reversal_holds)
		return 0;
	if (enforce(c, s, result, err) < 0)
		return -1;
	if (result->failed || s->count > 1 || s->is_missing)
		return 0;
	return enforce_with_neighbours(c, s, result, err);
}

static int prepare(struct confirming *c, struct err *err)
{
	enum ended ended;

	c->plain = plan_copy(c->e->again->repro->plan);
	for (size_t i = 0; i < c->plain->steps.count; i++)
		plan_step_done(&c->plain->steps.at[i]);
	c->plain->steps.count = 0;
	ended = experiment_run(c->e, c->plain, NULL, 0, err);
	c->plain_holds = ended == ENDED_HELD;
	return ended == ENDED_ERROR ? -1 : 0;
}

int confirm(struct again *a, struct gathered *g,
	    const struct suspects *suspects,
	    const struct confirm_limits *limits, struct confirmation *results,
	    struct err *err)
{
	struct experiments e = experiments_begin(a, g, limits->deadline);
	struct confirming c = { .e = &e,
				.g = g,
				.allows_less = limits->allows_less };
	int rc = prepare(&c, err);
	size_t confirmed = 0;

	for (size_t i = 0;
	     rc == 0 && i < suspects->all.count && i < limits->most &&
	     confirmed < limits->wanted && !is_late(&c);
	     i++) {
		rc = try_suspect(&c, &suspects->all.at[i], &results[i], err);
		confirmed += confirmation_is(&results[i]);
	}
	experiments_end(&e);
	plan_free(c.plain);
	return rc;
}
