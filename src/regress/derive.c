/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/derive.h"

#include <string.h>

#include "base/log.h"
#include "regress/candidate.h"
#include "regress/clues.h"
#include "regress/hunter.h"
#include "regress/locate_briefly.h"
#include "regress/recorded.h"
#include "trial/interrupts.h"

enum {
	TRIED_MOST = 48, /* candidates */
	FIRST_RUNS = 2,	 /* of each */
	MORE_RUNS = 8,	 /* of the best */
	BEST = 6,
	KEPT = 4,
	RUNS_LEAST = 40,
	LOCATE_MS = 3000,
	PATIENCE = 5, /* times as long, on a busy machine */
};

/* Everything at hand while a signature is found out. */
struct bench {
	struct again *again;
	struct hunter hunter;
	struct recorded run; /* the failure, once more */
	struct candidates candidates;
	uint32_t runs, runs_most;
	uint64_t deadline; /* of the monotonic clock, in milliseconds */
	uint64_t last;	   /* where there were too few runs until then */
};

static uint64_t now_ms(void)
{
	return (uint64_t)(hunt_now() * 1000);
}

/* On a busy machine there is more time, for a few runs at least. */
static bool is_spent(const struct bench *b)
{
	uint64_t now = now_ms();

	if (b->runs >= b->runs_most || interrupts_came())
		return true;
	return now >= b->deadline && (b->runs >= RUNS_LEAST || now >= b->last);
}

/* ---- trying ---- */

/* The first run of a signature takes what comes first; later ones let some of
 * it pass. */
static int try_it(struct bench *b, struct signature *s, uint32_t runs,
		  struct err *err)
{
	for (uint32_t i = 0; i < runs && !is_spent(b); i++) {
		struct hunt_setting set = { .seed = 1 + b->runs };
		struct hunt_run run;

		for (uint32_t k = 0; k < s->count; k++)
			set.widths[k].by = SIMILAR_OFFSET;
		if (hunter_run(&b->hunter, s, &set, &run, err) < 0)
			return -1;
		b->runs++;
		s->tried++;
		if (run.identity &&
		    strcmp(run.identity, b->again->repro->identity) == 0)
			s->triggered++;
		hunt_run_done(&run);
	}
	return 0;
}

/* What brings the failure back more often; else a deadlock's cycle, which is
 * all there is to it; else what takes fewer events, for each of them must be
 * found again in the next version. */
static bool is_better(const struct signature *a, const struct signature *b)
{
	uint64_t x = (uint64_t)a->triggered * (b->tried + 1);
	uint64_t y = (uint64_t)b->triggered * (a->tried + 1);

	if (x != y)
		return x > y;
	if (a->is_cycle != b->is_cycle)
		return a->is_cycle;
	return a->count < b->count;
}

/* Stable: of equals the one nearest to the switches stays in front. */
static void sort_by_success(struct signatures *s)
{
	for (size_t i = 1; i < s->all.count; i++)
		for (size_t k = i; k > 0; k--) {
			struct signature *a = &s->all.at[k - 1];
			struct signature *c = &s->all.at[k], t;

			if (!is_better(c, a))
				break;
			t = *a;
			*a = *c;
			*c = t;
		}
}

/* Orders of two events are enough under control, where a thread stops right
 * behind an event. Held freely it stops before one only: so the best signature
 * that encloses something is among those that are kept. */
static void prefer_enclosing(struct signatures *s, size_t count)
{
	size_t n = 0;

	while (n < s->all.count && s->all.at[n].count < 3)
		n++;
	if (n >= count && n < s->all.count && s->all.at[n].triggered) {
		struct signature t = s->all.at[count - 1];

		s->all.at[count - 1] = s->all.at[n];
		s->all.at[n] = t;
	}
}

/* The best, but none that never brought the failure back if another one did.
 * If none did, those nearest to the switches are better than nothing. */
static void keep_first(struct signatures *s, size_t count)
{
	bool any = s->all.count && s->all.at[0].triggered;

	while (s->all.count > count ||
	       (any && !s->all.at[s->all.count - 1].triggered))
		signature_done(&s->all.at[--s->all.count]);
}

/* The best of them get more runs, and the best of these are kept. */
static int choose(struct bench *b, struct signatures *out, struct err *err)
{
	sort_by_success(out);
	prefer_enclosing(out, BEST);
	keep_first(out, BEST);
	for (size_t i = 0; i < out->all.count; i++)
		if (out->all.at[i].tried <= FIRST_RUNS &&
		    try_it(b, &out->all.at[i], MORE_RUNS, err) < 0)
			return -1;
	sort_by_success(out);
	prefer_enclosing(out, KEPT);
	keep_first(out, KEPT);
	return 0;
}

static int try_candidates(struct bench *b, struct signatures *out,
			  struct err *err)
{
	size_t most = b->candidates.all.count;

	if (most > TRIED_MOST)
		most = TRIED_MOST;
	for (size_t i = 0; i < most && (i < KEPT || !is_spent(b)); i++) {
		struct signature s;

		if (!recorded_signature(&b->run, b->hunter.map,
					&b->candidates.all.at[i], &s))
			continue;
		if (signatures_have(out, &s)) {
			signature_done(&s);
			continue;
		}
		vec_push(&out->all, s);
		if (try_it(b, &out->all.at[out->all.count - 1], FIRST_RUNS,
			   err) < 0)
			return -1;
	}
	log_debug("%zu candidates, %u runs", b->candidates.all.count, b->runs);
	return choose(b, out, err);
}

/* A failure that was kept by rules: they are what is known of it. */
static int try_rules(struct bench *b, struct signatures *out, struct err *err)
{
	const struct plan *plan = b->again->repro->plan;

	for (size_t i = 0; i < plan->rules.all.count; i++) {
		struct signature s;

		if (!clue_of_rule(plan, &plan->rules.all.at[i], b->hunter.map,
				  &s))
			continue;
		vec_push(&out->all, s);
		if (!is_spent(b) && try_it(b, &out->all.at[out->all.count - 1],
					   FIRST_RUNS, err) < 0)
			return -1;
	}
	return choose(b, out, err);
}

/* ---- all of it ---- */

static bool is_kept_failure(const struct bench *b)
{
	struct again *a = b->again;

	/* Whether it has the race nobody has looked at. */
	return !a->follower.is_other && (a->repro->outcome == OUTCOME_RACE ||
					 again_is_same(b->run.captured, a));
}

/* The failure once more, with its events. False: it does not come back. */
static int follow(struct bench *b, struct err *err)
{
	struct again *a = b->again;

	if (recorded_follow(&b->run, &a->follower, a->repro->plan, err) < 0)
		return -1;
	if (is_kept_failure(b))
		return 1;
	log_debug("%s: the failure does not come back", a->repro->name);
	return 0;
}

static int prepare(struct bench *b, struct err *err)
{
	if (hunter_init(&b->hunter, b->again, err) < 0)
		return -1;
	b->hunter.is_brief = true;
	return 0;
}

static int derive(struct bench *b, struct signatures *out, struct err *err)
{
	int rc = follow(b, err);

	if (rc <= 0)
		return rc;
	if (prepare(b, err) < 0)
		return -1;
	candidates_find(b->run.events.at, b->run.events.count, &b->candidates);
	candidates_add_gates(b->run.events.at, b->run.events.count,
			     &b->candidates);
	candidates_add_cycle(b->run.events.at, b->run.events.count,
			     b->run.captured->threads,
			     b->run.captured->run.thread_count, &b->candidates);
	return try_candidates(b, out, err);
}

static int derive_from_rules(struct bench *b, struct signatures *out,
			     struct err *err)
{
	bool is_same;

	if (again_is_same_build(b->again, &is_same, err) < 0)
		return -1;
	if (!is_same)
		return 0;
	return prepare(b, err) < 0 ? -1 : try_rules(b, out, err);
}

/* Those that are there are tried no more; what was located is. */
static int learn(struct bench *b, const struct located *l,
		 struct signatures *out, struct err *err)
{
	int rc = follow(b, err);

	if (rc <= 0)
		return rc;
	clues_of_located(l, &b->run, &b->candidates);
	if (!b->candidates.all.count)
		return 0;
	candidates_add_gates(b->run.events.at, b->run.events.count,
			     &b->candidates);
	return prepare(b, err) < 0 ? -1 : try_candidates(b, out, err);
}

static struct bench bench_of(struct again *a, uint32_t runs, uint64_t ms)
{
	uint64_t now = now_ms();

	return (struct bench){ .again = a,
			       .runs_most = runs,
			       .deadline = now + ms,
			       .last = now + PATIENCE * ms };
}

static void bench_done(struct bench *b)
{
	hunter_done(&b->hunter);
	vec_free(&b->candidates.all);
	recorded_done(&b->run);
}

/* Starts it under control, however it was kept. */
static int start(struct again *a, struct err *err)
{
	if (a->is_started)
		return 0;
	a->mode = AGAIN_CONTROLLED;
	return again_start(a, err);
}

int signatures_derive(struct again *a, uint32_t runs, uint64_t ms,
		      struct signatures *out, struct err *err)
{
	struct bench b = bench_of(a, runs, ms);
	int rc;

	*out = (struct signatures){ 0 };
	rc = a->repro->plan->rules.is_free ? derive_from_rules(&b, out, err) :
					     derive(&b, out, err);
	if (rc < 0)
		signatures_done(out);
	bench_done(&b);
	return rc;
}

/* A store that cannot be written to is no obstacle. */
static void save(const struct signatures *s, const struct again *a)
{
	struct err ignored;

	if (s->all.count && signatures_save(s, a->repro->path, &ignored) < 0)
		log_debug("%s", ignored.text);
}

static int derive_and_save(struct again *a, uint32_t runs, uint64_t ms,
			   struct signatures *out, struct err *err)
{
	if (start(a, err) < 0 || signatures_derive(a, runs, ms, out, err) < 0)
		return -1;
	save(out, a);
	return 0;
}

int signatures_of(struct again *a, struct signatures *out, struct err *err)
{
	if (signatures_load(out, a->repro->path, err) < 0)
		return -1;
	if (out->all.count)
		return 0;
	return derive_and_save(a, DERIVE_RUNS, DERIVE_MS, out, err);
}

/* ---- located ---- */

void signatures_learn(const char *store, const struct located *l)
{
	struct signatures s = { 0 };
	struct again a;
	struct err err;
	int rc;

	/* Lines would get the text of another version. */
	if (l->is_edited)
		return;
	rc = again_open(&a, store, l->name, true, &err);

	if (rc == 0)
		rc = signatures_load(&s, a.repro->path, &err);
	if (rc == 0)
		rc = start(&a, &err);
	if (rc == 0) {
		struct bench b = bench_of(&a, DERIVE_RUNS_KEPT, DERIVE_MS_KEPT);

		rc = learn(&b, l, &s, &err);
		bench_done(&b);
	}
	if (rc == 0)
		save(&s, &a);
	else
		log_debug("%s has the signature it had: %s", l->name, err.text);
	signatures_done(&s);
	again_close(&a);
}

/* Nine runs of ten at least. */
static bool is_reliable(const struct signatures *s)
{
	return s->all.count &&
	       s->all.at[0].triggered * 10 >= s->all.at[0].tried * 9;
}

/* Another way to the cause, which takes longer. */
static void locate_too(const char *store, const char *name)
{
	struct located l;
	struct err err;

	if (locate_briefly(store, name, LOCATE_MS, true, &l, &err) == 0)
		signatures_learn(store, &l);
	else
		log_debug("%s is not located: %s", name, err.text);
	located_done(&l);
}

/* Long enough for what is usual, or for as much as there is. */
static uint64_t kept_ms(uint64_t most_ms)
{
	uint64_t ms = most_ms / PATIENCE;

	return ms < DERIVE_MS_KEPT ? ms + 1 : DERIVE_MS_KEPT;
}

void signatures_keep_within(const char *store, const char *name,
			    uint64_t most_ms)
{
	struct signatures s = { 0 };
	struct again a;
	struct err err;
	uint64_t began = now_ms();
	bool is_locatable = false;

	if (interrupts_came())
		return;
	if (again_open(&a, store, name, true, &err) < 0 ||
	    derive_and_save(&a, DERIVE_RUNS_KEPT, kept_ms(most_ms), &s, &err) <
		    0)
		log_warn("%s has no signature: %s", name, err.text);
	else
		/* Without a step one thread alone has run. */
		is_locatable = !is_reliable(&s) && can_locate(a.repro) &&
			       !a.repro->plan->rules.is_free &&
			       a.repro->plan->steps.count;
	signatures_done(&s);
	again_close(&a);
	if (is_locatable && now_ms() - began + 2 * LOCATE_MS < most_ms)
		locate_too(store, name);
}

void signatures_keep(const char *store, const char *name)
{
	signatures_keep_within(store, name, UINT64_MAX);
}
