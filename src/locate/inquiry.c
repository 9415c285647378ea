/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "locate/experiment.h"
#include "locate/located_words.h"

enum {
	NAMED = ORDER_PROBES / 4, /* deeds of each thread, on either side */
	CYCLES_TRIED = 12,
	GROWN_MOST = 16,
	LEAD = 8, /* how far before a region its own read is looked for */
};

/* What the rules call deeds `first` and up. */
struct named {
	size_t first;
	VEC(struct order_probe) at;
};

struct inquiring {
	struct experiments *e;
	const struct suspect *s;
	const struct confirmation *c;
	struct inquiry *q;
	struct plan *held;	 /* of the run that held; NULL: none */
	struct plan *calm;	 /* the failing plan without its steps */
	const struct plan *plan; /* that trials are made with */
	size_t from, to;	 /* the way there */
	bool allows_absence;	 /* the second region need not come at all */
	struct named names[2];
};

/* ---- the two runs ---- */

/* The caller frees the run. */
static struct captured *record(struct inquiring *k, const struct plan *plan,
			       struct deeds *d, struct err *err)
{
	struct follower *f = &k->e->again->follower;
	const struct pair_line *p = &k->s->pairs[0];
	struct pair_taking taking;
	struct trace *trace;
	struct captured *run = follower_record(f, plan, &trace, err);

	d->thread[0] = p->head.thread;
	d->thread[1] = p->tail.thread;
	if (!run)
		return NULL;
	taking = pair_taking_begin(k->e->g->names, f->worker.region);
	deeds_read(d, trace, &taking, &k->q->objects);
	pair_taking_end(&taking);
	trace_close(trace);
	return run;
}

static struct order_access end_of(const struct inquiring *k,
				  const struct pair_end *end,
				  const struct order_probe *at, bool gates)
{
	return (struct order_access){
		.thread = experiment_thread(k->e, end->thread),
		.site = experiment_site(k->e, end->place),
		.visit = at->visit,
		.gate_site = gates ? at->gate_site : 0,
		.gate_visit = gates ? at->gate_visit : 0,
	};
}

/* The failing schedule with a pair reversed, if it holds. */
static int reverse(struct inquiring *k, uint32_t pair, bool gates,
		   struct err *err)
{
	const struct pair_line *p = &k->s->pairs[pair];
	struct order_rule rule = {
		.first = end_of(k, &p->tail, &k->c->at[pair][1], gates),
		.second = end_of(k, &p->head, &k->c->at[pair][0], gates),
	};
	struct plan *taken;
	enum ended ended = experiment_take(k->e, k->e->again->repro->plan,
					   &rule, 1, &taken, err);

	if (ended == ENDED_HELD)
		k->held = taken;
	else
		plan_free(taken);
	return ended == ENDED_ERROR ? -1 : 0;
}

/* Trials are made in a schedule where each thread runs until it waits, so that
 * no switch but theirs can do harm; if the program fails there by itself, in
 * the failing one. */
static int choose_plan(struct inquiring *k, struct err *err)
{
	enum ended ended;

	k->calm = plan_copy(k->e->again->repro->plan);
	for (size_t i = 0; i < k->calm->steps.count; i++)
		plan_step_done(&k->calm->steps.at[i]);
	k->calm->steps.count = 0;
	ended = experiment_run(k->e, k->calm, NULL, 0, err);
	k->plan = ended == ENDED_HELD ? k->calm : k->e->again->repro->plan;
	return ended == ENDED_ERROR ? -1 : 0;
}

static int go_on(struct inquiring *k, struct err *err)
{
	struct deeds whole = { 0 };
	struct captured *run;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < 2 * k->s->count && !k->held; i++)
		rc = reverse(k, i / 2, i % 2 == 0, err);
	if (rc == 0 && !k->held && k->plan == k->calm &&
	    experiment_take(k->e, k->calm, NULL, 0, &k->held, err) ==
		    ENDED_ERROR)
		rc = -1;
	if (rc < 0 || !k->held)
		return rc;
	run = record(k, k->held, &whole, err);
	if (run)
		deeds_continue(&k->q->failing, &whole);
	deeds_done(&whole);
	captured_free(run);
	return run ? 0 : -1;
}

/* ---- where the suspect is ---- */

static bool is_of(const struct deed *d, const struct pair_end *e)
{
	return d->place == e->place &&
	       (d->writes ? e->kind != PAIR_WRITE || !d->reads :
			    e->kind == PAIR_READ);
}

/* By its moment in the failing run. The access that a thread died of was not
 * done any more: it is the first that would have come. */
static bool find_deed(const struct deeds *d, int side, const struct pair_end *e,
		      size_t *at)
{
	for (size_t i = 0; i < d->by[side].count; i++) {
		const struct deed *deed = &d->by[side].at[i];

		*at = i;
		if (deed->is_next)
			return is_of(deed, e);
		if (deed->count == e->count)
			return deed->place == e->place;
	}
	return false;
}

static bool is_seen_as(const struct inquiring *k, const struct deed *d,
		       const struct pair_end *e)
{
	return is_of(d, e) &&
	       (k->s->level != LEVEL_CONTEXT || d->way == e->way);
}

/* The failing run did not come to the tail, and maybe not to the head, or not
 * right from the one to the other: the two that are next to where it ended. */
static bool find_missing(struct inquiring *k)
{
	const struct pair_line *p = &k->s->pairs[0];
	const struct deeds *d = &k->q->failing;

	for (size_t i = d->by[0].count; i-- > 0;) {
		const struct deed *head = &d->by[0].at[i];
		size_t n = 0;

		if (!is_seen_as(k, head, &p->head))
			continue;
		while (n < d->by[1].count &&
		       (!is_seen_as(k, &d->by[1].at[n], &p->tail) ||
			(!d->by[1].at[n].is_next &&
			 d->by[1].at[n].when < head->when) ||
			!deeds_conflict(head, &d->by[1].at[n])))
			n++;
		if (n == d->by[1].count)
			continue;
		k->from = i;
		k->to = n;
		if (!head->is_next)
			return true;
	}
	return k->from != SIZE_MAX;
}

static bool find_suspect(struct inquiring *k)
{
	const struct pair_line *p = &k->s->pairs[0];
	const struct deeds *d = &k->q->failing;

	k->from = k->to = SIZE_MAX;
	if (k->s->is_missing)
		return find_missing(k);
	return find_deed(d, 0, &p->head, &k->from) &&
	       find_deed(d, 1, &p->tail, &k->to);
}

/* ---- names for rules ---- */

static void names_choose(struct inquiring *k, int side)
{
	size_t middle = side ? k->to : k->from;
	size_t count = k->q->failing.by[side].count;
	size_t first = middle > NAMED ? middle - NAMED : 0;

	k->names[side].first = first;
	for (size_t i = first; i < count && i < middle + NAMED; i++)
		vec_push(&k->names[side].at, (struct order_probe){ 0 });
}

/* Of those that happened in the run of this plan. */
static int names_ask(struct inquiring *k, const struct plan *plan, bool is_next,
		     struct err *err)
{
	struct follower *f = &k->e->again->follower;
	struct order_probe *probes = f->worker.control->probes;
	struct order_probe *places[ORDER_PROBES];
	uint32_t count = 0;
	struct captured *run;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < k->names[side].at.count; i++) {
			const struct deed *d =
				&k->q->failing.by[side]
					 .at[k->names[side].first + i];

			if (d->is_next != is_next || count == ORDER_PROBES)
				continue;
			probes[count] = (struct order_probe){
				.thread = experiment_thread(k->e, d->thread),
				.access = d->count,
			};
			places[count++] = &k->names[side].at.at[i];
		}
	if (!count)
		return 0;
	f->ask.probe_count = count;
	run = follower_run(f, plan, false, err);
	f->ask.probe_count = 0;
	if (!run)
		return -1;
	captured_free(run);
	for (uint32_t i = 0; i < count; i++)
		*places[i] = probes[i];
	return 0;
}

static int names_find(struct inquiring *k, struct err *err)
{
	names_choose(k, 0);
	names_choose(k, 1);
	if (names_ask(k, k->e->again->repro->plan, false, err) < 0)
		return -1;
	return k->held ? names_ask(k, k->held, true, err) : 0;
}

/* What a rule calls a deed; a site of 0: it has no name. */
static struct order_access name_of(const struct inquiring *k, int side,
				   size_t at, bool gates)
{
	const struct named *n = &k->names[side];
	const struct deed *d = &k->q->failing.by[side].at[at];
	struct order_access a = { .thread =
					  experiment_thread(k->e, d->thread) };

	if (at < n->first || at - n->first >= n->at.count ||
	    n->at.at[at - n->first].site != experiment_site(k->e, d->place))
		return a;
	a.site = n->at.at[at - n->first].site;
	a.visit = n->at.at[at - n->first].visit;
	if (gates) {
		a.gate_site = n->at.at[at - n->first].gate_site;
		a.gate_visit = n->at.at[at - n->first].gate_visit;
	}
	return a;
}

/* ---- trials ---- */

struct regions {
	size_t low[2], high[2];
};

enum answer { ANSWER_NONE, ANSWER_FAILS, ANSWER_HOLDS, ANSWER_ERROR };

/* What comes behind both regions: the thread of the first goes on, or that of
 * the second, as long as it can. */
enum behind { BEHIND_FIRST, BEHIND_SECOND, BEHINDS };

struct manner {
	enum order_adjoining adjoining;
	bool gates;
};

static const struct order_access nobody = { .thread = UINT32_MAX,
					    .visit = UINT32_MAX };

/* The region of `first` is whole before the other begins, and the other is
 * done before the thread of the first does more, unless it has what the other
 * needs. */
static enum answer try_in(struct inquiring *k, const struct regions *r,
			  int first, const struct manner *how,
			  enum behind behind, struct err *err)
{
	enum order_adjoining adjoining = how->adjoining;
	int then = !first;
	struct order_access end = name_of(k, first, r->high[first], false);
	struct order_access last = name_of(k, then, r->high[then], false);
	struct order_rule rules[3] = {
		{ .first = end,
		  .second = name_of(k, then, r->low[then], how->gates) },
		{ .first = end,
		  .second = behind == BEHIND_FIRST ? last : nobody,
		  .adjoining = adjoining },
		{ .first = last, .second = nobody, .adjoining = adjoining },
	};
	uint32_t count = adjoining == ORDER_LOOSE ? 1 :
			 behind == BEHIND_FIRST	  ? 3 :
						    2;
	enum ended ended;

	if (!end.site || !last.site || !rules[0].second.site)
		return ANSWER_NONE;
	k->q->trials++;
	ended = experiment_run(k->e, k->plan, rules, count, err);
	if (ended == ENDED_ERROR)
		return ANSWER_ERROR;
	if (rules[0].state != ORDER_KEPT &&
	    (rules[0].state != ORDER_FIRST || !k->allows_absence))
		return ANSWER_NONE;
	return ended == ENDED_HELD ? ANSWER_HOLDS : ANSWER_FAILS;
}

static enum answer try_order(struct inquiring *k, const struct regions *r,
			     int first, enum behind behind, struct err *err)
{
	static const struct manner manners[] = {
		{ ORDER_AT_ONCE, false }, { ORDER_AT_ONCE, true },
		{ ORDER_UNLOCKED, true }, { ORDER_LOOSE, true },
		{ ORDER_LOOSE, false },
	};
	enum answer answer = ANSWER_NONE;

	for (size_t i = 0; i < sizeof(manners) / sizeof(*manners) &&
			   answer == ANSWER_NONE && !experiments_are_late(k->e);
	     i++)
		answer = try_in(k, r, first, &manners[i], behind, err);
	return answer;
}

/* 1: both orders hold; 0: they do not, or cannot be had. The order of the
 * suspect comes first: where order is the matter, it fails. */
static int try_regions(struct inquiring *k, const struct regions *r,
		       struct err *err)
{
	for (int i = 0; i < 2 * BEHINDS; i++) {
		enum answer a = try_order(k, r, i / BEHINDS,
					  (enum behind)(i % BEHINDS), err);

		if (a == ANSWER_ERROR)
			return -1;
		if (a != ANSWER_HOLDS)
			return 0;
	}
	memcpy(k->q->low, r->low, sizeof(r->low));
	memcpy(k->q->high, r->high, sizeof(r->high));
	return 1;
}

/* A value that is written was made of one that was read: a region that begins
 * with a write of what its thread has read a moment before begins there. */
static bool lead_in(const struct inquiring *k, struct regions *r)
{
	bool changed = false;

	for (int side = 0; side < 2; side++) {
		const struct deed *at = k->q->failing.by[side].at;
		size_t low = r->low[side];

		for (size_t i = low; i <= r->high[side]; i++)
			for (size_t n = low; at[i].writes && n-- > 0;) {
				if (n + LEAD < low)
					break;
				if (at[n].reads && deed_meets(&at[n], &at[i]) &&
				    n < r->low[side])
					r->low[side] = n;
			}
		changed |= r->low[side] < low;
	}
	return changed;
}

static int try_cycle(struct inquiring *k, const struct cycle *c,
		     struct err *err)
{
	struct regions r;
	int rc;

	memcpy(r.low, c->low, sizeof(r.low));
	memcpy(r.high, c->high, sizeof(r.high));
	rc = try_regions(k, &r, err);
	if (rc == 0 && lead_in(k, &r))
		rc = try_regions(k, &r, err);
	return rc;
}

/* More and more around it. */
static int try_around(struct inquiring *k, const struct cycle *c,
		      struct err *err)
{
	int rc = 0;

	for (size_t more = 1; rc == 0 && more <= GROWN_MOST; more *= 2) {
		struct regions r;

		for (int side = 0; side < 2; side++) {
			size_t last = k->q->failing.by[side].count - 1;

			r.low[side] =
				c->low[side] > more ? c->low[side] - more : 0;
			r.high[side] = c->high[side] + more < last ?
					       c->high[side] + more :
					       last;
		}
		rc = try_regions(k, &r, err);
	}
	return rc;
}

/* The regions that hold are larger than the cycle that they were made of: then
 * the nearest that lies in them counts, by way of the suspect if there is
 * one. */
static const struct cycle *cycle_within(const struct inquiring *k,
					const cycles *all,
					const struct cycle *made_of)
{
	const struct deed *from = &k->q->failing.by[0].at[k->from];
	const struct deed *to = &k->q->failing.by[1].at[k->to];

	for (size_t i = 0; i < all->count; i++) {
		const struct cycle *c = &all->at[i];

		if (c->there[0].count == from->count &&
		    c->there[1].count == to->count &&
		    c->low[0] >= k->q->low[0] && c->high[0] <= k->q->high[0] &&
		    c->low[1] >= k->q->low[1] && c->high[1] <= k->q->high[1])
			return c;
	}
	return made_of;
}

static bool are_larger(const struct inquiry *q, const struct cycle *c)
{
	return q->low[0] < c->low[0] || q->low[1] < c->low[1] ||
	       q->high[0] > c->high[0] || q->high[1] > c->high[1];
}

static int try_each(struct inquiring *k, const cycles *all, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->count && i < CYCLES_TRIED &&
			   !experiments_are_late(k->e);
	     i++) {
		k->q->cycle = all->at[i];
		rc = try_cycle(k, &all->at[i], err);
	}
	if (rc || !all->count || experiments_are_late(k->e))
		return rc;
	k->q->cycle = all->at[0];
	return try_around(k, &all->at[0], err);
}

static int try_cycles(struct inquiring *k, const cycles *all, struct err *err)
{
	int rc = try_each(k, all, err);

	if (rc > 0 && are_larger(k->q, &k->q->cycle))
		k->q->cycle = *cycle_within(k, all, &k->q->cycle);
	return rc;
}

/* Both regions are to come in either order. Only where there are none such,
 * one may keep the other from coming: who finds a thing made does not make it.
 */
static int try_all(struct inquiring *k, const cycles *all, struct err *err)
{
	int rc = try_cycles(k, all, err);

	if (rc == 0) {
		k->allows_absence = true;
		rc = try_cycles(k, all, err);
	}
	return rc;
}

/* Between the two accesses of the suspect there may be others of these threads
 * in the same order, which are nearer to a way back. While they keep it, so
 * does the suspect. */
static void find_cycles(const struct inquiring *k, cycles *all)
{
	const struct deeds *d = &k->q->failing;
	const struct deed *mine = d->by[0].at, *other = d->by[1].at;
	size_t first = k->to > LEAD ? k->to - LEAD : 0;

	for (size_t i = k->from; i < d->by[0].count && i <= k->from + LEAD; i++)
		for (size_t n = first; n <= k->to; n++)
			if ((i == k->from && n == k->to) ||
			    (deeds_conflict(&mine[i], &other[n]) &&
			     mine[i].when < other[n].when))
				cycles_find(k->e->g->names, d, i, n, all);
	cycles_sort(all);
}

static int find_out(struct inquiring *k, struct err *err)
{
	const struct deeds *d = &k->q->failing;
	cycles all = { 0 };
	int rc;

	words_of_places(k->e->g);
	find_cycles(k, &all);
	rc = names_find(k, err);
	if (rc == 0)
		rc = try_all(k, &all, err);
	vec_free(&all);
	if (rc < 0)
		return -1;
	/* What was not tried to the end is not an order. */
	if (rc == 0 && experiments_are_late(k->e))
		return 0;
	k->q->is_cycle = rc;
	if (!rc) {
		k->q->cycle = (struct cycle){ .there = { d->by[0].at[k->from],
							 d->by[1].at[k->to] } };
		k->q->low[0] = k->q->high[0] = k->from;
		k->q->low[1] = k->q->high[1] = k->to;
	}
	k->q->is_known = true;
	k->q->is_missing = d->by[1].at[k->to].is_next;
	return 0;
}

static int inquire_by(struct inquiring *k, struct err *err)
{
	struct deeds *d = &k->q->failing;

	k->q->run = record(k, k->e->again->repro->plan, d, err);
	if (!k->q->run || choose_plan(k, err) < 0 || go_on(k, err) < 0)
		return -1;
	if (d->is_cut)
		return 0;
	deeds_keep_shared(d);
	return find_suspect(k) ? find_out(k, err) : 0;
}

int inquire(struct again *a, struct gathered *g, const struct suspect *s,
	    const struct confirmation *c, uint64_t deadline, struct inquiry *q,
	    struct err *err)
{
	struct experiments e = experiments_begin(a, g, deadline);
	struct inquiring k = { .e = &e, .s = s, .c = c, .q = q };
	int rc;

	*q = (struct inquiry){ 0 };
	rc = inquire_by(&k, err);
	plan_free(k.held);
	plan_free(k.calm);
	vec_free(&k.names[0].at);
	vec_free(&k.names[1].at);
	experiments_end(&e);
	return rc;
}

void inquiry_done(struct inquiry *q)
{
	deeds_done(&q->failing);
	objects_done(&q->objects);
	captured_free(q->run);
}
