/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/gather.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/quote.h"
#include "locate/spectrum.h"
#include "trial/free_run.h"
#include "trial/interrupts.h"

enum {
	QUIET_RUNS = 12, /* without a new pair: saturated */
	TRIES = 40,	 /* for each passing run that is wanted */
	CUT_MOST = 8,	 /* at the limit of points, one after the other */
	DELAY_US = 500,
	DEPTH = 3,	 /* of PCT */
	RATE_TRIES = 60, /* for the failing run, if it comes at a rate */
	RATE_MS = 10000,
};

uint64_t locate_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void gathered_done(struct gathered *g)
{
	pair_run_free(g->failing);
	captured_free(g->failed);
	for (size_t i = 0; i < g->passing.count; i++) {
		pair_run_free(g->passing.at[i]);
		plan_free(g->plans.at[i]);
	}
	vec_free(&g->passing);
	vec_free(&g->plans);
	vec_free(&g->new_pairs);
	pair_names_free(g->names);
	code_loops_done(&g->loops);
}

/* ---- what a run says of itself ---- */

static char *command_of(const struct again *a)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	for (size_t i = 0; i < a->repro->arguments.count; i++) {
		if (i)
			fputc(' ', out);
		quote_word(a->repro->arguments.at[i], out);
	}
	fclose(out);
	return text;
}

static char *build_of(const struct region *r)
{
	const struct region_module *m = &r->modules[0];
	char *text = xcalloc(2 * sizeof(m->build_id) + 1, 1);

	for (size_t i = 0; i < m->build_id_size && i < sizeof(m->build_id); i++)
		snprintf(text + 2 * i, 3, "%02x", m->build_id[i]);
	return text;
}

static struct pair_run *take(struct gathered *g, const struct again *a,
			     const struct region *r, const char *failure)
{
	struct pair_run *run = pair_run_take(g->names, r);

	run->command = command_of(a);
	run->build = build_of(r);
	run->failure = failure ? xstrdup(failure) : NULL;
	return run;
}

/* ---- the failing run ---- */

static int failing_other(const struct again *a, const struct verdict *v,
			 struct err *err)
{
	if (v->status != EXIT_BROKEN)
		return err_set(err,
			       "%s did not fail when it was replayed (%s); "
			       "find it again with heddle run",
			       a->repro->name, v->text);
	return err_set(err,
		       "%s failed in another way when it was replayed: %s; "
		       "kept was: %s",
		       a->repro->name, v->text, a->repro->verdict);
}

/* One replay; 1: it gave the failure. */
static int failing_try(struct again *a, struct gathered *g, struct err *err)
{
	struct worker *w = &a->follower.worker;
	uint64_t began = locate_now_ms();
	struct verdict v;
	bool is_same;

	captured_free(g->failed);
	g->failed = follower_run(&a->follower, a->repro->plan, false, err);
	g->failed_ms = locate_now_ms() - began;
	if (!g->failed || again_judge(a, g->failed, &v, err) < 0)
		return -1;
	is_same = v.status == EXIT_BROKEN &&
		  strcmp(v.identity, a->repro->identity) == 0;
	if (is_same)
		g->failing = take(g, a, w->region, v.identity);
	else
		(void)failing_other(a, &v, err);
	verdict_done(&v);
	return is_same;
}

/* What is kept by rules comes at a rate. */
static bool may_fail_yet(const struct again *a, uint32_t tried, uint64_t began)
{
	return rules_are_there(&a->repro->plan->rules) && tried < RATE_TRIES &&
	       locate_now_ms() - began < RATE_MS && !interrupts_came();
}

int gather_failing(struct again *a, struct gathered *g, struct err *err)
{
	struct worker *w = &a->follower.worker;
	uint64_t began = locate_now_ms();
	uint32_t tried = 0;
	int rc;

	g->names = pair_names_new();
	if (atomic_load(&w->region->module_count))
		code_loops_init(&g->loops, w->region->modules[0].path);
	g->names->loops = &g->loops;
	w->region->pairs.flags |= PAIRS_STACKS;
	code_loops_fill(&g->loops, &w->region->pairs);
	do
		rc = failing_try(a, g, err);
	while (rc == 0 && may_fail_yet(a, ++tried, began));
	return rc == 1 ? 0 : -1;
}

/* ---- passing runs ---- */

struct passing {
	struct again *again;
	const struct gather_options *o;
	struct gathered *g;
	struct spectrum *seen;
	uint64_t deadline;
	uint32_t quiet; /* runs since the last new pair */
	bool is_coarse; /* accesses are too many to be points */
	uint32_t cut;	/* runs that met the limit even so */
};

static void keep(struct passing *p, struct pair_run *run, struct plan *plan,
		 bool calm)
{
	size_t fresh = spectrum_pass(p->seen, run);

	run->is_calm = calm;
	run->name = xasprintf("pass-%zu", p->g->passing.count);
	vec_push(&p->g->passing, run);
	vec_push(&p->g->plans, plan);
	vec_push(&p->g->new_pairs, fresh);
	p->quiet = fresh ? 0 : p->quiet + 1;
	p->cut = 0;
}

/* Some of the runs are to be free, unless they cannot. */
static uint32_t controlled_most(const struct passing *p)
{
	uint64_t free_ones = p->again->repro->is_exec ?
				     0 :
				     (uint64_t)p->o->native + p->o->delayed;

	return free_ones < p->o->most ? p->o->most - (uint32_t)free_ones : 0;
}

/* Free ones may pass where none of these does: a quarter of the time is theirs
 * then. */
static uint64_t controlled_deadline(const struct passing *p)
{
	uint64_t quarter = p->o->time_ms / 4;

	if (p->g->passing.count || controlled_most(p) == p->o->most)
		return p->deadline;
	return p->deadline - quarter;
}

/* A run that ends at the limit of points tells nothing. Without points at
 * accesses the next may come to its end. */
static void heed_limit(struct passing *p, const struct captured *run)
{
	if (run->run.outcome.kind != OUTCOME_LIMIT)
		return;
	p->cut += p->is_coarse;
	p->is_coarse = true;
}

static bool is_enough(const struct passing *p)
{
	return p->g->passing.count >= controlled_most(p) ||
	       p->quiet >= QUIET_RUNS || p->cut >= CUT_MOST ||
	       locate_now_ms() >= controlled_deadline(p) || interrupts_came();
}

/* Strategies that differ in what they like, in turn. PCT of depth 1 takes the
 * turn from nobody who can go on. */
static struct control_ask way_of(const struct passing *p, uint32_t n)
{
	static const struct {
		uint32_t strategy, depth;
	} ways[] = {
		{ STRATEGY_PCT, 1 }, { STRATEGY_RANDOM, 1 },
		{ STRATEGY_PCT, 1 }, { STRATEGY_PCT, 2 },
		{ STRATEGY_PCT, 1 }, { STRATEGY_POS, 1 },
		{ STRATEGY_PCT, 1 }, { STRATEGY_PCT, DEPTH },
	};
	enum { WAYS = sizeof(ways) / sizeof(*ways) };

	return (struct control_ask){
		.strategy = ways[n % WAYS].strategy,
		.depth = ways[n % WAYS].depth,
		.length = p->again->repro->points + 1,
		.seed = p->o->seed + n,
		.flags = p->is_coarse ? CONTROL_SYNC : 0,
	};
}

static bool is_calm(const struct control_ask *how)
{
	return how->strategy == STRATEGY_PCT && how->depth == 1;
}

static int wander(struct passing *p, uint32_t n, struct err *err)
{
	struct again *a = p->again;
	struct control_ask how = way_of(p, n);
	struct captured *run =
		follower_wander(&a->follower, a->repro->plan, &how, err);
	struct verdict v;
	int rc;

	if (!run)
		return -1;
	p->g->tried++;
	heed_limit(p, run);
	rc = again_judge(a, run, &v, err);
	if (rc == 0 && v.status == EXIT_HELD)
		keep(p, take(p->g, a, a->follower.worker.region, NULL),
		     captured_plan(run), is_calm(&how));
	if (rc == 0)
		verdict_done(&v);
	captured_free(run);
	return rc;
}

static int wander_all(struct passing *p, struct err *err)
{
	uint32_t most = p->o->most * TRIES;

	for (uint32_t n = 0; n < most && !is_enough(p); n++)
		if (wander(p, n, err) < 0)
			return -1;
	p->g->is_saturated = p->quiet >= QUIET_RUNS;
	return 0;
}

/* Did the free run hold? */
static int judge_free(struct again *a, struct free_runs *f, struct err *err)
{
	size_t size;
	char *text;
	int status = 0, kind;

	if (f->timed_out || f->stopped_by)
		return 0;
	if (WIFSIGNALED(f->wait_status))
		return 0;
	if (WIFEXITED(f->wait_status))
		status = WEXITSTATUS(f->wait_status);
	if (status && !a->outputs.judges_status)
		return 0;
	text = free_run_printed(f, &size);
	kind = outputs_judge(&a->outputs, text, size, status, NULL, err);
	free(text);
	return kind < 0 ? -1 : kind == OUTCOME_NONE;
}

static int free_all(struct passing *p, struct err *err)
{
	uint32_t wanted = p->o->native + p->o->delayed;
	struct free_runs f;
	struct launch launch;
	int rc = 0;

	again_launch(p->again, &launch);
	free_runs_init(&f, &launch, 20000, PAIRS_STACKS);
	f.loops = &p->g->loops;
	for (uint32_t i = 0; rc >= 0 && i < wanted; i++) {
		bool delayed = i >= p->o->native;

		if (p->g->passing.count >= p->o->most ||
		    locate_now_ms() >= p->deadline || interrupts_came())
			break;
		p->g->tried++;
		rc = free_run(&f, delayed ? DELAY_US : 0, p->o->seed + i, err);
		if (rc == 0)
			rc = judge_free(p->again, &f, err);
		if (rc != 1)
			continue;
		keep(p, take(p->g, p->again, f.drain.region, NULL), NULL,
		     !delayed);
		if (delayed)
			p->g->delayed++;
		else
			p->g->native++;
	}
	free_runs_done(&f);
	return rc < 0 ? -1 : 0;
}

int gather_passing(struct again *a, const struct gather_options *o,
		   struct gathered *g, struct err *err)
{
	struct passing p = { .again = a,
			     .o = o,
			     .g = g,
			     .seen = spectrum_new(LEVEL_CONTEXT, o->most,
						  false),
			     .deadline = locate_now_ms() + o->time_ms };
	int rc;

	spectrum_fail(p.seen, g->failing);
	rc = wander_all(&p, err);
	if (rc == 0 && !a->repro->is_exec)
		rc = free_all(&p, err);
	spectrum_free(p.seen);
	/* Those that there are are compared. */
	if (interrupts_came() && g->passing.count)
		rc = 0;
	if (rc == 0 && !g->passing.count)
		rc = err_set(err,
			     "no run of %u passed; locate compares a failing "
			     "run with passing ones",
			     g->tried);
	return rc;
}
