/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tester_search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/log.h"
#include "regress/derive.h"
#include "store/again.h"
#include "trial/interrupts.h"

enum {
	FIRST_RUNS = 8, /* of a strategy's first turn */
	GROWTH = 4,	/* from round to round */
	PCT_DEPTH = 3,
	PART = 3, /* of the time left, at most, for each of the others */
	EXPLORE_MS = 2000, /* of explore's first turn */
	COVER_MS = 1000,   /* for expose, where explore came to its end */
	REPLAYS = 20,
	LOOK_MS = 8000,	     /* for a find, where the time is up */
	LOOK_MORE_MS = 2000, /* for each one after it */
	NEW_LEAST = 5, /* percent of new schedules that are worth a turn */
};

/* Which strategy comes first is a matter of what breaks most programs in the
 * fewest schedules (docs/benchmarks.md). */
static const uint32_t strategies[] = { STRATEGY_SURW, STRATEGY_POS,
				       STRATEGY_PCT, STRATEGY_RANDOM };
_Static_assert(sizeof(strategies) / sizeof(*strategies) == SEARCH_STRATEGIES,
	       "one turn each");

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double search_seconds(const struct search *s)
{
	return now() - s->began;
}

static uint64_t ms_until(const struct search *s, double seconds)
{
	double left = (seconds - search_seconds(s)) * 1000;

	return left > 0 ? (uint64_t)left : 0;
}

uint64_t search_ms_left(const struct search *s)
{
	return ms_until(s, (double)s->o->budget_ms / 1000);
}

/* ---- what broke ---- */

struct keeping search_keeping(const struct search *s, const char *way)
{
	const struct tester_options *o = s->o;

	return (struct keeping){ .store = o->store,
				 .argv = o->argv,
				 .strategy = way,
				 .outputs = &s->outputs,
				 .feed = &s->feed,
				 .inputs = o->inputs,
				 .input_count = o->input_count,
				 .points_most = o->points_most,
				 .hang_ms = o->hang_ms,
				 .is_exec = s->is_fresh && o->exec };
}

static bool is_kept(const struct tested *t, const char *name)
{
	for (size_t i = 0; i < t->bugs.count; i++)
		if (strcmp(t->bugs.at[i].name, name) == 0)
			return true;
	return false;
}

/* A find is looked at in the time that is left, or in some seconds. */
static uint64_t look_ms(const struct search *s)
{
	uint64_t left = search_ms_left(s);
	uint64_t least = s->t->bugs.count ? LOOK_MORE_MS : LOOK_MS;

	return left > least ? left : least;
}

/* Of the time for a find: a part for each that makes it of use later, and what
 * is left for its replays. Locating has a share of its own. */
static int look(struct search *s, struct evidence *e, const char *name,
		struct err *err)
{
	double until = search_seconds(s) + (double)look_ms(s) / 1000;
	struct evidence_replays replays = { .most = REPLAYS };

	again_make_readable_within(s->o->store, name, ms_until(s, until) / 4);
	log_info("%s: readable %.2f s", name, search_seconds(s));
	signatures_keep_within(s->o->store, name, ms_until(s, until) / 3);
	log_info("%s: signature %.2f s", name, search_seconds(s));
	replays.ms = ms_until(s, until) / 2;
	return evidence_gather(e, s->o->store, name, replays, err);
}

int search_bug(struct search *s, const char *name, uint64_t schedules,
	       struct err *err)
{
	struct tester_bug bug = { .schedules = schedules,
				  .seconds = search_seconds(s) };

	if (is_kept(s->t, name))
		return 0;
	progress_done(&s->progress);
	log_info("%s: found %.2f s", name, bug.seconds);
	if (look(s, &bug.evidence, name, err) < 0) {
		evidence_done(&bug.evidence);
		return -1;
	}
	log_info("%s: replayed %.2f s", name, search_seconds(s));
	search_locate(s, &bug.evidence, search_ms_left(s));
	log_info("%s: located %.2f s", name, search_seconds(s));
	bug.name = xstrdup(name);
	vec_push(&s->t->bugs, bug);
	return 0;
}

static int failure_keep(struct search *s, const char *strategy,
			const struct failure *f, struct err *err)
{
	struct keeping k = search_keeping(s, strategy);
	char *name = NULL;
	bool was_known;
	int rc = keeping_save(&k, f->captured, &f->verdict, NULL, &name,
			      &was_known, err);

	if (rc == 0)
		rc = search_bug(s, name, s->t->schedules + f->index + 1, err);
	free(name);
	return rc;
}

void search_note(struct search *s, const char *text)
{
	struct tested *t = s->t;

	for (size_t i = 0; i < t->notes.count; i++)
		if (strcmp(t->notes.at[i], text) == 0)
			return;
	vec_push(&t->notes, xstrdup(text));
}

int search_failures(struct search *s, const char *strategy,
		    const struct campaign_result *r, struct err *err)
{
	for (size_t i = 0; i < r->failures.count; i++) {
		const struct failure *f = &r->failures.at[i];

		if (f->verdict.status == EXIT_BROKEN) {
			if (failure_keep(s, strategy, f, err) < 0)
				return -1;
		} else if (f->verdict.status == EXIT_UNKNOWN) {
			if (!s->t->unknown)
				s->t->unknown = xstrdup(f->verdict.text);
		}
	}
	return 0;
}

/* ---- turns of strategies ---- */

void search_tell(struct search *s, const struct campaign_news *news)
{
	struct campaign_news all = *news;

	all.made += s->t->schedules;
	all.distinct += s->t->distinct;
	all.wanted = 0;
	all.failures += s->t->bugs.count;
	all.seconds = now() - s->began;
	all.seconds_wanted = (double)s->o->budget_ms / 1000;
	progress_tell(&s->progress, &all);
}

static void tell(void *to, const struct campaign_news *news)
{
	search_tell(to, news);
}

struct control_ask search_ask(const struct search *s)
{
	const struct tester_options *o = s->o;

	return (struct control_ask){ .depth = PCT_DEPTH,
				     .points_most = o->points_most,
				     .hang_ms = o->hang_ms,
				     .memory_most = o->memory_most,
				     .processors = CONTROL_PROCESSORS };
}

static struct campaign_options campaign_of(struct search *s, size_t turn,
					   uint64_t runs)
{
	const struct tester_options *o = s->o;
	struct campaign_options c = {
		.argv = o->argv,
		.guest = o->guest,
		.input = s->feed.fd,
		.ask = search_ask(s),
		.seed = o->seed + s->turns[turn].runs,
		.runs = runs,
		.time_ms = search_ms_left(s),
		.workers = o->jobs,
		.all_failures = o->all,
		.doubts = true,
		.exec = o->exec,
		.inputs = o->inputs,
		.input_count = o->input_count,
		.outputs = &s->outputs,
		.tell = tell,
		.to = s,
	};

	c.ask.strategy = strategies[turn];
	if (s->is_coarse)
		c.ask.flags |= CONTROL_SYNC;
	if (o->races)
		c.ask.flags |= CONTROL_RECORD | CONTROL_STOP;
	return c;
}

static struct tester_way *way_of(struct tested *t, const char *name)
{
	for (size_t i = 0; i < t->ways.count; i++)
		if (strcmp(t->ways.at[i].name, name) == 0)
			return &t->ways.at[i];
	vec_push(&t->ways, (struct tester_way){ .name = name });
	return &t->ways.at[t->ways.count - 1];
}

void search_count(struct search *s, const char *name, uint64_t runs,
		  uint64_t distinct, double seconds)
{
	struct tested *t = s->t;
	struct tester_way *way = way_of(t, name);

	t->schedules += runs;
	t->distinct += distinct;
	vec_push(&t->curve, (struct tester_mark){ t->schedules, t->distinct });
	way->runs += runs;
	way->distinct += distinct;
	way->seconds += seconds;
}

static void turn_count(struct search *s, size_t turn,
		       const struct campaign_result *r)
{
	search_count(s, strategy_text(strategies[turn]), r->made, r->distinct,
		     r->seconds);
	s->turns[turn].runs += r->made;
	s->turns[turn].is_tired = r->made > 4 * FIRST_RUNS &&
				  r->distinct * 100 < r->made * NEW_LEAST;
	for (size_t i = 0; i < r->notes.count; i++)
		search_note(s, r->notes.at[i]);
}

static bool is_stopped(const struct search *s)
{
	return interrupts_came() || !search_ms_left(s) ||
	       (s->t->bugs.count && !s->o->all);
}

/* On a machine with too much to do a thread may look as if it slept. The same
 * seed is the same run: what it does not show again was not the program's. */
static bool is_unknown_again(struct search *s, size_t turn, uint64_t seed)
{
	struct campaign_options c = campaign_of(s, turn, 1);
	struct campaign_result r;
	struct err ignored;
	bool is_unknown = true;

	c.seed = seed;
	c.workers = 1;
	if (campaign_run(&c, &r, &ignored) == 0)
		is_unknown = r.failures.count;
	campaign_done(&r);
	return is_unknown;
}

/* A run that met the limit of points is over soon: whether its program always
 * does is worth that time in any case. */
static bool is_late(const struct search *s, const struct failure *f)
{
	return f->verdict.kind == OUTCOME_LIMIT ? interrupts_came() != 0 :
						  is_stopped(s);
}

static void doubt_unknown(struct search *s, size_t turn,
			  struct campaign_result *r)
{
	for (size_t i = 0; i < r->failures.count; i++) {
		struct failure *f = &r->failures.at[i];
		char *note;

		/* A failure that did not come again was doubted already. */
		if (f->verdict.status != EXIT_UNKNOWN || is_late(s, f) ||
		    oracle_status(f->verdict.kind) == EXIT_BROKEN ||
		    is_unknown_again(s, turn, f->captured->run.seed))
			continue;
		f->verdict.status = EXIT_HELD;
		note = xasprintf("one run told nothing (%s), and did not do so "
				 "again",
				 f->verdict.text);
		search_note(s, note);
		free(note);
	}
}

static int take_turn(struct search *s, size_t turn, uint64_t runs,
		     struct err *err)
{
	struct campaign_options c = campaign_of(s, turn, runs);
	struct campaign_result r;
	int rc = campaign_run(&c, &r, err);

	s->is_fresh = r.is_fresh;
	if (rc == 0)
		doubt_unknown(s, turn, &r);
	s->is_coarse |= r.is_coarse;
	if (rc == 0)
		rc = search_failures(s, strategy_text(strategies[turn]), &r,
				     err);
	if (rc == 0)
		turn_count(s, turn, &r);
	campaign_done(&r);
	return rc;
}

static bool is_over(const struct search *s)
{
	return s->t->is_complete || is_stopped(s);
}

/* A strategy that found nothing new may rest, but not all of them. */
static bool sits_out(struct search *s, size_t turn)
{
	size_t tired = 0;

	for (size_t i = 0; i < SEARCH_STRATEGIES; i++)
		tired += s->turns[i].is_tired;
	if (tired == SEARCH_STRATEGIES || !s->turns[turn].is_tired)
		return false;
	s->turns[turn].is_tired = false;
	return true;
}

static int round_of(struct search *s, uint64_t runs, struct err *err)
{
	for (size_t turn = 0; turn < SEARCH_STRATEGIES && !is_over(s); turn++)
		if (!sits_out(s, turn) && take_turn(s, turn, runs, err) < 0)
			return -1;
	return 0;
}

/* How long explore may take now; 0: it sits this round out. Races as failures,
 * and runs in directories of their own, are not for it. */
static uint64_t explore_turn(struct search *s)
{
	uint64_t ms = s->explore_ms ? s->explore_ms * 2 : EXPLORE_MS;
	uint64_t most = search_ms_left(s) / PART;

	if (s->o->races || s->o->exec)
		return 0;
	if (s->is_endless) {
		s->is_endless = false;
		return 0;
	}
	return ms < most ? ms : most;
}

/* Where every schedule was tried under control, the few free runs that are left
 * to make are for what control cannot show, and to tell what was exercised. */
static uint64_t expose_turn(const struct search *s)
{
	uint64_t ms = search_ms_left(s) / PART;

	return s->t->is_complete && ms > COVER_MS ? COVER_MS : ms;
}

/* A program that cannot be explored or forced can be tested all the same. */
static void ways_of_their_own(struct search *s, bool is_first)
{
	uint64_t ms = is_over(s) ? 0 : explore_turn(s);
	struct err err;

	if (ms && search_explore(s, ms, &err) < 0) {
		s->is_endless = true;
		search_note(s, err.text);
	}
	if (is_first && s->is_watched && !is_stopped(s) &&
	    search_expose(s, expose_turn(s), &err) < 0)
		search_note(s, err.text);
}

static void watch(struct search *s)
{
	struct err err;

	if (search_watch(s, s->o->budget_ms / PART, &err) < 0)
		search_note(s, err.text);
}

static int search(struct search *s, struct err *err)
{
	watch(s);
	for (uint64_t runs = FIRST_RUNS; !is_over(s); runs *= GROWTH) {
		if (round_of(s, runs, err) < 0)
			return -1;
		ways_of_their_own(s, runs == FIRST_RUNS);
	}
	return 0;
}

/* ---- all of it ---- */

static enum exit_status status_of(const struct tested *t)
{
	if (t->bugs.count || t->native_ending)
		return EXIT_BROKEN;
	return t->unknown || t->stopped_by ? EXIT_UNKNOWN : EXIT_HELD;
}

static void search_done(struct search *s)
{
	struct err ignored;

	if (s->scratch && file_remove(s->scratch, &ignored) < 0)
		log_warn("%s", ignored.text);
	free(s->scratch);
	expose_done(&s->watched);
	feed_done(&s->feed);
	outputs_done(&s->outputs);
}

int tester_run(const struct tester_options *o, struct tested *t,
	       struct err *err)
{
	struct search s = { .o = o, .t = t, .feed.fd = -1, .began = now() };
	int rc = -1;

	*t = (struct tested){
		.races = -1, .cycles = -1, .feasible = -1, .exercised = -1
	};
	interrupts_hold();
	progress_init(&s.progress, stderr);
	if (o->is_quiet)
		s.progress.out = NULL;
	if (outputs_init(&s.outputs, o->expect, o->check, err) == 0 &&
	    feed_init(&s.feed, 0, err) == 0)
		rc = search(&s, err);
	progress_done(&s.progress);
	if (rc == 0 && t->bugs.count)
		rc = repro_tidy(o->store, o->keep, err);
	t->seconds = now() - s.began;
	t->stopped_by = interrupts_came();
	interrupts_release();
	t->status = status_of(t);
	search_done(&s);
	return rc;
}

void tested_done(struct tested *t)
{
	for (size_t i = 0; i < t->bugs.count; i++) {
		evidence_done(&t->bugs.at[i].evidence);
		free(t->bugs.at[i].name);
	}
	for (size_t i = 0; i < t->notes.count; i++)
		free(t->notes.at[i]);
	vec_free(&t->bugs);
	vec_free(&t->notes);
	vec_free(&t->ways);
	vec_free(&t->curve);
	vec_free(&t->coverage);
	free(t->unknown);
	free(t->native_ending);
}
