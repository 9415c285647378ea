/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/locate.h"

#include <stdlib.h>
#include <string.h>

#include "locate/kept_texts.h"
#include "locate/located_words.h"
#include "locate/saved_runs.h"
#include "locate/tighten.h"
#include "trial/interrupts.h"

const struct locate_options locate_defaults = {
	.procedure = LOCATE_ANY,
	.level = LOCATE_ANY,
	.gather = { .most = 100,
		    .native = 3,
		    .delayed = 3,
		    .time_ms = 60 * 1000,
		    .seed = 1 },
	.report_most = 5,
	.try_most = 200,
};

/* The order in which procedures and levels are tried. */
static const struct stage {
	enum procedure procedure;
	enum level level;
	bool calm;
} order[] = {
	{ PROCEDURE_I, LEVEL_PC, false },
	{ PROCEDURE_II, LEVEL_PC, false },
	{ PROCEDURE_III, LEVEL_PC, false },
	{ PROCEDURE_III, LEVEL_THREAD, false },
	{ PROCEDURE_III, LEVEL_LOOP, false },
	{ PROCEDURE_I, LEVEL_PC, true },
	{ PROCEDURE_II, LEVEL_PC, true },
	{ PROCEDURE_III, LEVEL_PC, true },
	{ PROCEDURE_III, LEVEL_THREAD, true },
	{ PROCEDURE_III, LEVEL_LOOP, true },
	{ PROCEDURE_I, LEVEL_THREAD, false },
	{ PROCEDURE_I, LEVEL_CONTEXT, false },
	{ PROCEDURE_II, LEVEL_THREAD, false },
	{ PROCEDURE_II, LEVEL_CONTEXT, false },
	{ PROCEDURE_III, LEVEL_CONTEXT, false },
	{ PROCEDURE_I, LEVEL_CONTEXT, true },
	{ PROCEDURE_III, LEVEL_CONTEXT, true },
};

enum { STAGES = sizeof(order) / sizeof(*order) };

struct locating {
	const struct locate_options *o;
	struct again *again; /* NULL: given runs */
	struct gathered g;
	struct located *l;
	/* Without and with instances, of all and of calm runs. */
	struct spectrum *spectra[LEVELS][2][2];
	struct suspects suspects; /* of the procedure that is reported */
	struct confirmation *confirmations;
	VEC(struct cycle) told; /* of what is reported */
	uint64_t deadline;	/* 0: none */
	bool allows_less;	/* of experiments (confirm.h) */
};

/* ---- one procedure ---- */

/* The outermost calls of a free run are others than those of a run under
 * control. */
static bool is_comparable(const struct locating *k, const struct pair_run *run,
			  enum level level, bool calm)
{
	if (calm && !run->is_calm)
		return false;
	return level != LEVEL_CONTEXT ||
	       run->is_exact == k->g.failing->is_exact;
}

static struct spectrum *spectrum_of(struct locating *k, enum level level,
				    bool keeps, bool calm)
{
	struct spectrum **s = &k->spectra[level][keeps][calm];

	if (*s)
		return *s;
	*s = spectrum_new(level, (uint32_t)k->g.passing.count, keeps);
	spectrum_fail(*s, k->g.failing);
	for (size_t i = 0; i < k->g.passing.count; i++)
		if (is_comparable(k, k->g.passing.at[i], level, calm))
			spectrum_pass(*s, k->g.passing.at[i]);
	return *s;
}

static void apply(struct locating *k, const struct stage *st,
		  struct suspects *found)
{
	enum level level = st->level;
	/* Identity by thread and loop is what the relation looks at. */
	enum level identity = level == LEVEL_CONTEXT ? level : LEVEL_PC;

	switch (st->procedure) {
	case PROCEDURE_I:
		procedure_one(spectrum_of(k, level, false, st->calm), found);
		break;
	case PROCEDURE_II:
		procedure_two(spectrum_of(k, level, false, st->calm), found);
		break;
	case PROCEDURE_III:
		procedure_three(spectrum_of(k, identity, true, st->calm), level,
				found);
		break;
	case PROCEDURE_FALCON:
		procedure_falcon(
			k->g.failing,
			(const struct pair_run *const *)k->g.passing.at,
			k->g.passing.count, found);
		break;
	}
}

static int try_out(struct locating *k, const struct suspects *found,
		   struct confirmation *results, struct located_attempt *a,
		   struct err *err)
{
	struct confirm_limits limits = { .most = k->o->try_most,
					 .wanted = k->o->report_most,
					 .deadline = k->deadline,
					 .allows_less = k->allows_less };

	if (confirm(k->again, &k->g, found, &limits, results, err) < 0 &&
	    !interrupts_came())
		return -1;
	for (size_t i = 0; i < found->all.count; i++) {
		a->tried += results[i].was_tried;
		a->confirmed += confirmation_is(&results[i]);
	}
	return 0;
}

/* What is kept by rules has no schedule that an order could be tried in. */
static bool is_by_rules(const struct locating *k)
{
	return k->again && rules_are_there(&k->again->repro->plan->rules);
}

static bool has_experiments(const struct locating *k)
{
	return k->again && !k->o->skips_experiments && !is_by_rules(k);
}

/* 1: this procedure is the one to report; 0: go on. */
static int stage(struct locating *k, const struct stage *st, struct err *err)
{
	struct suspects found = { 0 };
	struct located_attempt a = { .procedure = st->procedure,
				     .level = st->level,
				     .calm = st->calm };
	struct confirmation *results;
	bool decides;

	apply(k, st, &found);
	a.suspects = found.all.count;
	results = xcalloc(found.all.count + 1, sizeof(*results));
	if (has_experiments(k) && try_out(k, &found, results, &a, err) < 0) {
		free(results);
		suspects_done(&found);
		return -1;
	}
	decides = has_experiments(k) ? a.confirmed : a.suspects;
	if (!k->allows_less || a.confirmed)
		vec_push(&k->l->attempts, a);
	if (!decides && (!a.suspects || k->suspects.all.count)) {
		free(results);
		suspects_done(&found);
		return 0;
	}
	suspects_done(&k->suspects);
	free(k->confirmations);
	k->suspects = found;
	k->confirmations = results;
	k->l->procedure = st->procedure;
	k->l->level = st->level;
	k->l->is_confirmed = a.confirmed;
	return decides;
}

static bool is_late(const struct locating *k)
{
	return interrupts_came() ||
	       (k->deadline && locate_now_ms() >= k->deadline);
}

static int stages_in_turn(struct locating *k, struct err *err)
{
	const struct locate_options *o = k->o;
	int rc = 0;

	/* Time is never too short for one. */
	for (size_t i = 0;
	     i < STAGES && rc == 0 && (!is_late(k) || !k->l->attempts.count);
	     i++) {
		if (o->procedure != LOCATE_ANY &&
		    o->procedure != (int)order[i].procedure)
			continue;
		if (o->level != LOCATE_ANY && o->level != (int)order[i].level)
			continue;
		rc = stage(k, &order[i], err);
	}
	if (rc == 0 && o->procedure != LOCATE_ANY && o->level != LOCATE_ANY &&
	    !k->l->attempts.count)
		rc = stage(k,
			   &(struct stage){ (enum procedure)o->procedure,
					    (enum level)o->level, false },
			   err);
	return rc;
}

static int stages(struct locating *k, struct err *err)
{
	int rc;

	if (k->o->procedure == PROCEDURE_FALCON) {
		rc = stage(k,
			   &(struct stage){ PROCEDURE_FALCON, LEVEL_PC, false },
			   err);
		return rc < 0 ? -1 : 0;
	}
	rc = stages_in_turn(k, err);
	if (rc == 0 && has_experiments(k) && !is_late(k)) {
		k->allows_less = true;
		rc = stages_in_turn(k, err);
	}
	return rc < 0 ? -1 : 0;
}

/* ---- nearer couples ---- */

/* What brought the failure back whenever its order could be had comes before
 * what did so now and then, and that before what was not confirmed; otherwise
 * they are as they were ranked. */
static int class_of(const struct confirmation *c)
{
	if (!confirmation_is(c))
		return 2;
	return c->failed < c->enforced;
}

enum { NEARER_MOST = 6 };

/* The first of the best class. */
static size_t best_of(const struct locating *k)
{
	size_t best = 0;

	for (size_t i = 1; i < k->suspects.all.count; i++)
		if (class_of(&k->confirmations[i]) <
		    class_of(&k->confirmations[best]))
			best = i;
	return best;
}

/* A confirmed couple gives way to a nearer one that is confirmed as well. */
static int tighten_best(struct locating *k, struct err *err)
{
	struct confirm_limits limits = { .most = NEARER_MOST,
					 .wanted = 1,
					 .deadline = k->deadline };
	struct suspects nearer = { 0 };
	struct confirmation *results;
	size_t best;
	int rc;

	if (!k->l->is_confirmed || k->l->procedure != PROCEDURE_III)
		return 0;
	best = best_of(k);
	tighten(&k->suspects.all.at[best], k->g.failing,
		&spectrum_of(k, LEVEL_PC, true, false)->positions, &nearer);
	results = xcalloc(nearer.all.count + 1, sizeof(*results));
	rc = confirm(k->again, &k->g, &nearer, &limits, results, err);
	if (interrupts_came())
		rc = 0;
	for (size_t i = 0; rc == 0 && i < nearer.all.count; i++)
		if (confirmation_is(&results[i])) {
			k->suspects.all.at[best] = nearer.all.at[i];
			k->confirmations[best] = results[i];
		}
	free(results);
	suspects_done(&nearer);
	return rc;
}

/* ---- what is reported ---- */

static bool is_same_access(const struct pair_end *a, const struct pair_end *b)
{
	return a->thread == b->thread && a->count == b->count;
}

/* Are these two the links of one interleaving, with an access in common that
 * the one leads to and the other starts from? Then they are one cause, and the
 * diagnosis of the first names the accesses of both. */
static bool is_linked(const struct suspect *a, const struct suspect *b)
{
	if (a->count != 1 || b->count != 1 || a->is_missing || b->is_missing)
		return false;
	return is_same_access(&a->pairs[0].tail, &b->pairs[0].head) ||
	       is_same_access(&b->pairs[0].tail, &a->pairs[0].head);
}

/* Two pairs of one cycle are one cause. */
static bool is_told(struct locating *k, const struct inquiry *q)
{
	for (size_t i = 0; i < k->told.count; i++)
		if (inquiry_is_same(q, &k->told.at[i]))
			return true;
	vec_push(&k->told, q->cycle);
	return false;
}

static void tell_suspect(struct locating *k, const struct words *w, size_t i,
			 const struct inquiry *q)
{
	struct located *l = k->l;
	struct words here = *w;
	struct located_suspect x;

	here.run_sites = q->run ? captured_sites(q->run) : NULL;
	words_of_suspect(&here, &k->suspects.all.at[i], &k->confirmations[i], q,
			 &x);
	sites_free(here.run_sites);
	if (k->again)
		x.agrees = words_of_switches(w, k->again->repro->plan, q,
					     l->suspects.count ? NULL : l);
	vec_push(&l->suspects, x);
}

/* What cannot be found out is left to the pairs. */
static int report_suspect(struct locating *k, const struct words *w, size_t i,
			  struct err *err)
{
	struct inquiry q = { 0 };
	int rc = 0;

	if (has_experiments(k) && confirmation_is(&k->confirmations[i]) &&
	    !is_late(k))
		rc = inquire(k->again, &k->g, &k->suspects.all.at[i],
			     &k->confirmations[i], k->deadline, &q, err);
	if (interrupts_came())
		rc = 0;
	if (rc == 0 && is_told(k, &q))
		k->l->folded++;
	else if (rc == 0)
		tell_suspect(k, w, i, &q);
	inquiry_done(&q);
	return rc;
}

/* Suspect i, unless it is part of what is told. */
static int report_once(struct locating *k, const struct words *w, size_t i,
		       const struct suspect **told, struct err *err)
{
	const struct suspect *s = &k->suspects.all.at[i];

	for (size_t n = 0; k->l->is_confirmed && n < k->l->suspects.count; n++)
		if (is_linked(told[n], s)) {
			k->l->folded++;
			return 0;
		}
	told[k->l->suspects.count] = s;
	return report_suspect(k, w, i, err);
}

static size_t count_class(const struct locating *k, int class)
{
	size_t n = 0;

	for (size_t i = 0; i < k->suspects.all.count; i++)
		n += class_of(&k->confirmations[i]) == class;
	return n;
}

/* The best there are: what brought the failure back every time is the cause,
 * and what did so now and then needs it. */
static int report_best(struct locating *k, const struct words *w,
		       struct err *err)
{
	const struct suspect **told =
		xcalloc(k->suspects.all.count + 1, sizeof(*told));
	int class = 0, rc = 0;

	while (class < 2 && !count_class(k, class))
		class ++;
	if (class == 0)
		k->l->weaker = count_class(k, 1);
	for (size_t i = 0; rc == 0 && i < k->suspects.all.count &&
			   k->l->suspects.count < k->o->report_most;
	     i++)
		if (class_of(&k->confirmations[i]) == class)
			rc = report_once(k, w, i, told, err);
	free(told);
	return rc;
}

static int report(struct locating *k, struct err *err)
{
	struct words w = { .g = &k->g };
	int rc;

	if (k->g.failed)
		w.sites = captured_sites(k->g.failed);
	k->l->suspect_count = k->suspects.all.count;
	rc = report_best(k, &w, err);
	sites_free(w.sites);
	return rc;
}

static void tell_runs(struct locating *k)
{
	struct located *l = k->l;

	l->passing = k->g.passing.count;
	l->native = k->g.native;
	l->delayed = k->g.delayed;
	l->tried = k->g.tried;
	l->is_saturated = k->g.is_saturated;
	l->is_exact = k->g.failing->is_exact;
	l->failing_pairs =
		spectrum_of(k, LEVEL_PC, false, false)->failing.count;
	l->all_pairs = spectrum_of(k, LEVEL_PC, false, false)->pairs.count;
	l->lost = k->g.failing->lost;
	l->has_experiments = has_experiments(k);
	l->is_by_rules = is_by_rules(k);
	l->stopped_by = interrupts_came();
	for (size_t i = 0; i < k->g.new_pairs.count; i++)
		vec_push(&l->new_pairs, k->g.new_pairs.at[i]);
}

static int find(struct locating *k, struct err *err)
{
	if (stages(k, err) < 0 || tighten_best(k, err) < 0)
		return -1;
	tell_runs(k);
	return report(k, err);
}

static void locating_done(struct locating *k)
{
	for (int level = 0; level < LEVELS; level++)
		for (int keeps = 0; keeps < 2; keeps++)
			for (int calm = 0; calm < 2; calm++)
				spectrum_free(k->spectra[level][keeps][calm]);
	suspects_done(&k->suspects);
	free(k->confirmations);
	vec_free(&k->told);
	gathered_done(&k->g);
}

/* ---- a kept failure ---- */

static int locate_again(struct locating *k, const char *save, struct err *err)
{
	struct again *a = k->again;

	a->has_pairs = true;
	if (again_start(a, err) < 0 || gather_failing(a, &k->g, err) < 0 ||
	    gather_passing(a, &k->o->gather, &k->g, err) < 0)
		return -1;
	words_of_places(&k->g);
	if (save && saved_runs_write(&k->g, save, err) < 0)
		return -1;
	k->l->name = xstrdup(a->repro->name);
	k->l->directory = xstrdup(a->repro->path);
	k->l->failure = xstrdup(a->repro->verdict);
	return find(k, err);
}

int locate_repro(const char *store, const char *name,
		 const struct locate_options *o, const char *save,
		 struct located *l, struct err *err)
{
	struct again a;
	struct locating k = { .o = o, .again = &a, .l = l };
	int rc = -1;

	*l = (struct located){ 0 };
	if (o->time_ms)
		k.deadline = locate_now_ms() + o->time_ms;
	if (again_open(&a, store, name, o->allows_check, err) == 0)
		rc = locate_again(&k, save, err);
	if (rc == 0)
		kept_texts_tell(l, a.repro);
	locating_done(&k);
	again_close(&a);
	return rc;
}

/* ---- given runs ---- */

int locate_runs(const char *pass, const char *fail,
		const struct locate_options *o, struct located *l,
		struct err *err)
{
	struct locating k = { .o = o, .l = l };
	int rc;

	*l = (struct located){ 0 };
	k.g.names = pair_names_new();
	rc = saved_runs_read(&k.g, pass, fail, err);
	if (rc == 0) {
		l->failure = xstrdup(k.g.failing->failure);
		rc = find(&k, err);
	}
	locating_done(&k);
	return rc;
}
