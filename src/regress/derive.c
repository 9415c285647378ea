/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/derive.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "regress/candidate.h"
#include "regress/hunter.h"
#include "regress/recorded.h"

enum {
	TRIED_MOST = 48, /* candidates */
	FIRST_RUNS = 2,	 /* of each */
	MORE_RUNS = 8,	 /* of the best */
	BEST = 6,
	KEPT = 4,
	RUNS_LEAST = 40,
};

/* Everything at hand while a signature is found out. */
struct bench {
	struct again *again;
	struct hunter hunter;
	struct recorded run; /* the failure, once more */
	struct candidates candidates;
	uint32_t runs, runs_most;
	uint64_t ms;
	uint64_t deadline; /* of the monotonic clock, in milliseconds */
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* On a busy machine there is more time, for a few runs at least. */
static bool is_spent(const struct bench *b)
{
	uint64_t now = now_ms();

	if (b->runs >= b->runs_most)
		return true;
	return now >= b->deadline &&
	       (b->runs >= RUNS_LEAST || now >= b->deadline + 4 * b->ms);
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

/* What brings the failure back more often; else what takes fewer events, for
 * each of them must be found again in the next version. */
static bool is_better(const struct signature *a, const struct signature *b)
{
	uint64_t x = (uint64_t)a->triggered * (b->tried + 1);
	uint64_t y = (uint64_t)b->triggered * (a->tried + 1);

	return x != y ? x > y : a->count < b->count;
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

static int try_all(struct bench *b, struct signatures *out, struct err *err)
{
	size_t most = b->candidates.all.count;

	if (most > TRIED_MOST)
		most = TRIED_MOST;
	for (size_t i = 0; i < most && (i < KEPT || !is_spent(b)); i++) {
		struct signature s;

		if (!recorded_signature(&b->run, b->hunter.map,
					&b->candidates.all.at[i], &s))
			continue;
		vec_push(&out->all, s);
		if (try_it(b, &out->all.at[out->all.count - 1], FIRST_RUNS,
			   err) < 0)
			return -1;
	}
	log_debug("%zu candidates, %u runs", b->candidates.all.count, b->runs);
	sort_by_success(out);
	prefer_enclosing(out, BEST);
	keep_first(out, BEST);
	for (size_t i = 0; i < out->all.count; i++)
		if (try_it(b, &out->all.at[i], MORE_RUNS, err) < 0)
			return -1;
	sort_by_success(out);
	prefer_enclosing(out, KEPT);
	keep_first(out, KEPT);
	return 0;
}

/* ---- all of it ---- */

static bool is_kept_failure(const struct bench *b)
{
	struct again *a = b->again;

	/* Whether it has the race nobody has looked at. */
	return !a->follower.is_other && (a->repro->outcome == OUTCOME_RACE ||
					 again_is_same(b->run.captured, a));
}

static int derive(struct bench *b, struct signatures *out, struct err *err)
{
	struct again *a = b->again;

	if (recorded_follow(&b->run, &a->follower, a->repro->plan, err) < 0)
		return -1;
	if (!is_kept_failure(b)) {
		log_debug("%s: the failure does not come back", a->repro->name);
		return 0;
	}
	if (hunter_init(&b->hunter, a, err) < 0)
		return -1;
	b->hunter.is_brief = true;
	candidates_find(b->run.events.at, b->run.events.count, &b->candidates);
	candidates_add_gates(b->run.events.at, b->run.events.count,
			     &b->candidates);
	candidates_add_cycle(b->run.events.at, b->run.events.count,
			     b->run.captured->threads,
			     b->run.captured->run.thread_count, &b->candidates);
	return try_all(b, out, err);
}

int signatures_derive(struct again *a, uint32_t runs, uint64_t ms,
		      struct signatures *out, struct err *err)
{
	struct bench b = { .again = a,
			   .runs_most = runs,
			   .ms = ms,
			   .deadline = now_ms() + ms };
	int rc;

	*out = (struct signatures){ 0 };
	rc = derive(&b, out, err);
	if (rc < 0)
		signatures_done(out);
	hunter_done(&b.hunter);
	vec_free(&b.candidates.all);
	recorded_done(&b.run);
	return rc;
}

static int derive_and_save(struct again *a, uint32_t runs, uint64_t ms,
			   struct signatures *out, struct err *err)
{
	struct err ignored;

	if (!a->is_started && again_start(a, err) < 0)
		return -1;
	if (signatures_derive(a, runs, ms, out, err) < 0)
		return -1;
	/* A store that cannot be written to is no obstacle. */
	if (out->all.count &&
	    signatures_save(out, a->repro->path, &ignored) < 0)
		log_debug("%s", ignored.text);
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

void signatures_keep(const char *store, const char *name)
{
	struct signatures s = { 0 };
	struct again a;
	struct err err;

	if (again_open(&a, store, name, true, &err) < 0 ||
	    derive_and_save(&a, DERIVE_RUNS_KEPT, DERIVE_MS_KEPT, &s, &err) < 0)
		log_warn("%s has no signature: %s", name, err.text);
	signatures_done(&s);
	again_close(&a);
}
