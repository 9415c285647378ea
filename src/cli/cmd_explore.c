/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/unserial.h"
#include "base/install.h"
#include "base/log.h"
#include "cli/run_args.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "explore/explorer.h"
#include "format/rng.h"
#include "plan/plan.h"
#include "regress/derive.h"
#include "report/report_explore.h"
#include "store/again.h"
#include "store/keeping.h"
#include "store/store.h"
#include "trace/site.h"
#include "trial/program.h"

struct explore_values {
	uint64_t runs, time_for, jobs, bound, window, hang, max_points, memory,
		keep;
	const char *search, *solver, *points, *expect, *check, *store, *output,
		*classes, *interleavings, *fail_on;
	bool all_failures, skip_unused, no_deadlocks, races, resume, json,
		costs;
};

static const struct explore_values explore_defaults = {
	RUN_ARGS_DEFAULTS, /* limits, and where it is kept */
	.runs = UINT64_MAX, .bound = 2,	       .window = EXPLORE_WINDOW,
	.search = "mcm",    .solver = "order", .points = "shared",
	.fail_on = "none",
};

static const struct arg explore_options[] = {
	ARG_NUMBER(struct explore_values, runs, "runs", 'n', "N",
		   "at most so many schedules"),
	ARG_DURATION(struct explore_values, time_for, "for", 0, "TIME",
		     "at most so long (500ms, 30s, 2m)"),
	RUN_ARGS_JOBS(struct explore_values),
	ARG_CHOICE(struct explore_values, search, "search", 0,
		   "mcm|dfs|chess|dpor", "what chooses schedules (mcm)"),
	ARG_NUMBER(struct explore_values, bound, "bound", 0, "C",
		   "preemptions that chess tries (2)"),
	ARG_NUMBER(struct explore_values, window, "window", 0, "N",
		   "events that mcm asks about together (10000)"),
	ARG_CHOICE(struct explore_values, solver, "solver", 0, "order|z3",
		   "what answers questions of mcm (order)"),
	ARG_FLAG(struct explore_values, resume, "resume", 0,
		 "go on where the last exploration with --resume ended"),
	ARG_FLAG(struct explore_values, all_failures, "all-failures", 0,
		 "go on after the first failure, keep each kind"),
	ARG_FLAG(struct explore_values, no_deadlocks, "no-deadlocks", 0,
		 "ask for no states in which every thread waits"),
	ARG_FLAG(struct explore_values, skip_unused, "skip-unused-reads", 0,
		 "leave out reads whose value is never used"),
	ARG_FLAG(struct explore_values, races, "races", 0,
		 "ask for data races too, and make a run for each"),
	ARG_CHOICE(struct explore_values, fail_on, "fail-on", 0, "race|none",
		   "a data race is a failure (none); asks for races too"),
	ARG_CHOICE(struct explore_values, points, "points", 0,
		   "all|shared|sync",
		   "accesses at which threads may change (shared)"),
	RUN_ARGS_JUDGED(struct explore_values),
	RUN_ARGS_LIMITS(struct explore_values),
	RUN_ARGS_KEPT(struct explore_values),
	ARG_FLAG(struct explore_values, costs, "costs", 0,
		 "say what runs and questions took"),
	ARG_PATH(struct explore_values, classes, "classes", 0, "FILE",
		 "write a number for each class of runs to FILE"),
	ARG_PATH(struct explore_values, interleavings, "interleavings", 0,
		 "FILE", "write the unserializable ones that happened to FILE"),
	ARG_FLAG(struct explore_values, json, "json", 0, "print JSON"),
	ARG_PATH(struct explore_values, output, "output", 'o', "FILE",
		 "print to FILE instead of standard output"),
	ARG_END,
};

/* ---- progress ---- */

struct line {
	bool is_terminal, is_on;
};

static void line_tell(void *to, const struct explore_news *news)
{
	struct line *l = to;
	char *text;

	if (!l->is_terminal)
		return;
	text = report_explore_news(news);
	fprintf(stderr, "\r%s\033[K", text);
	fflush(stderr);
	free(text);
	l->is_on = true;
}

static void line_done(const struct line *l)
{
	if (l->is_on)
		fputs("\r\033[K", stderr);
}

/* ---- all of it ---- */

struct table {
	const struct explore_values *v;
	struct explore_options options;
	struct explore_result result;
	struct outputs outputs;
	struct feed feed;
	char **names;
	char *state; /* where the exploration is written down, or NULL */
};

static enum explore_search search_of(const char *name)
{
	for (int i = SEARCH_MCM; i <= SEARCH_DPOR; i++)
		if (strcmp(explore_search_name((enum explore_search)i), name) ==
		    0)
			return (enum explore_search)i;
	return SEARCH_MCM;
}

static void options_set(struct table *t, char **argv, const char *guest)
{
	const struct explore_values *v = t->v;

	t->options = (struct explore_options){
		.argv = argv,
		.guest = guest,
		.input = t->feed.fd,
		.ask = { .points_most = v->max_points,
			 .hang_ms = v->hang,
			 .memory_most = v->memory,
			 .processors = CONTROL_PROCESSORS,
			 .flags = points_named(v->points) },
		.runs = v->runs == UINT64_MAX ? 0 : v->runs,
		.time_ms = v->time_for,
		.workers = (uint32_t)v->jobs,
		.all_failures = v->all_failures,
		.no_deadlocks = v->no_deadlocks,
		.interleavings = v->interleavings != NULL,
		.skip_unused = v->skip_unused,
		.races = v->races || strcmp(v->fail_on, "race") == 0,
		.outputs = &t->outputs,
		.search = search_of(v->search),
		.solver = strcmp(v->solver, "z3") == 0 ? SOLVER_Z3 :
							 SOLVER_ORDER,
		.bound = (uint32_t)v->bound,
		.window = (uint32_t)v->window,
	};
	if (strcmp(v->fail_on, "race") == 0)
		t->options.ask.flags |= CONTROL_RECORD;
}

static int keep(struct table *t, size_t n, struct err *err)
{
	const struct campaign_result *c = &t->result.campaign;
	const struct failure *f = &c->failures.at[n];
	const struct keeping k = { .store = t->v->store,
				   .argv = t->options.argv,
				   .strategy = t->v->search,
				   .outputs = &t->outputs,
				   .feed = &t->feed,
				   .points_most = t->v->max_points,
				   .hang_ms = t->v->hang };
	bool was_known;

	if (keeping_save(&k, f->captured, &f->verdict, NULL, &t->names[n],
			 &was_known, err) < 0)
		return -1;
	if (!was_known) {
		again_make_readable(t->v->store, t->names[n]);
		signatures_keep(t->v->store, t->names[n]);
	}
	return 0;
}

static int keep_all(struct table *t, struct err *err)
{
	const struct campaign_result *c = &t->result.campaign;

	t->names = xcalloc(c->failures.count + 1, sizeof(*t->names));
	for (size_t i = 0; i < c->failures.count; i++)
		if (c->failures.at[i].verdict.status == EXIT_BROKEN &&
		    keep(t, i, err) < 0)
			return -1;
	return c->failures.count ? repro_tidy(t->v->store, t->v->keep, err) : 0;
}

static int tell(const struct table *t, struct err *err)
{
	const struct explore_values *v = t->v;
	const struct explore_report report = {
		.result = &t->result,
		.options = &t->options,
		.names = t->names,
		.store = strcmp(v->store, STORE_DEFAULT) == 0 ? NULL : v->store,
		.shows_costs = v->costs,
	};
	FILE *out = view_is_stdout(v->output) ? stdout : fopen(v->output, "we");

	if (!out)
		return err_set(err, "cannot write %s: %s", v->output,
			       strerror(errno));
	if (v->json)
		report_explore_json(&report, out);
	else
		report_explore_text(&report, out);
	if (out != stdout && fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", v->output,
			       strerror(errno));
	return explore_status(&t->result);
}

static void classes_print(const struct table *t, FILE *out)
{
	for (size_t i = 0; i < t->result.seen.count; i++)
		fprintf(out, "%016" PRIx64 "\n", t->result.seen.at[i]);
}

static void interleavings_print(const struct table *t, FILE *out)
{
	const struct explore_result *r = &t->result;
	const struct site_tables tables = {
		.modules = r->modules.at,
		.module_count = (uint32_t)r->modules.count
	};
	struct sites *sites = sites_new_from(&tables);

	for (size_t i = 0; i < r->interleavings.all.count; i++) {
		const struct interleaving_seen *s = &r->interleavings.all.at[i];
		const uint32_t places[] = { s->p, s->r, s->c };

		fputs(unserial_pattern_text(s->pattern), out);
		for (int k = 0; k < 3; k++) {
			char *text = site_name(sites, places[k]);

			fprintf(out, " %s", text);
			free(text);
		}
		fputc('\n', out);
	}
	sites_free(sites);
}

/* For comparing two explorations, or one with what an analysis says. */
static int file_write(const struct table *t, const char *path,
		      void (*print)(const struct table *t, FILE *out),
		      struct err *err)
{
	FILE *out = path ? fopen(path, "we") : NULL;

	if (!path)
		return 0;
	if (out)
		print(t, out);
	if (!out || fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}

/* A file for each command, in the store. */
static int state_name(struct table *t, char **argv, struct err *err)
{
	const char *slash = strrchr(argv[0], '/');
	uint64_t hash = 1;

	if (!t->v->resume)
		return 0;
	for (char **a = argv; *a; a++)
		for (const char *c = *a;; c++) {
			hash = rng_mix(hash + (unsigned char)*c);
			if (!*c)
				break;
		}
	if (mkdir(t->v->store, 0777) < 0 && errno != EEXIST)
		return err_set(err, "cannot make %s: %s", t->v->store,
			       strerror(errno));
	t->state = xasprintf("%s/explore-%s-%08" PRIx32, t->v->store,
			     slash ? slash + 1 : argv[0], (uint32_t)hash);
	return 0;
}

static int run(struct table *t, char **argv, const char *guest, struct err *err)
{
	struct line line = { .is_terminal = isatty(STDERR_FILENO) };
	int rc;

	if (state_name(t, argv, err) < 0)
		return -1;
	options_set(t, argv, guest);
	t->options.state = t->state;
	t->options.tell = line_tell;
	t->options.to = &line;
	rc = explore(&t->options, &t->result, err);
	line_done(&line);
	if (rc < 0 || keep_all(t, err) < 0 ||
	    file_write(t, t->v->classes, classes_print, err) < 0 ||
	    file_write(t, t->v->interleavings, interleavings_print, err) < 0)
		return -1;
	return tell(t, err);
}

static void table_done(struct table *t)
{
	for (size_t i = 0; t->names && i < t->result.campaign.failures.count;
	     i++)
		free(t->names[i]);
	free(t->names);
	free(t->state);
	explore_done(&t->result);
	feed_done(&t->feed);
	outputs_done(&t->outputs);
}

static int check_values(const struct explore_values *v, const char *program,
			struct err *err)
{
	enum { JOBS_MOST = 256, BOUND_MOST = 64 };
	struct program p;
	int rc;

	if (v->jobs > JOBS_MOST)
		return err_set(err, "--jobs wants a number up to %d, not %llu",
			       JOBS_MOST, (unsigned long long)v->jobs);
	if (v->bound > BOUND_MOST)
		return err_set(err, "--bound wants a number up to %d, not %llu",
			       BOUND_MOST, (unsigned long long)v->bound);
	if (v->window < 2 || v->window > UINT32_MAX / 2)
		return err_set(err, "--window wants a number above 1");
	if (!v->max_points)
		return err_set(err, "--max-points wants a number above 0");
	if (!v->runs)
		return err_set(err, "--runs 0 would show nothing");
	if (v->resume && strcmp(v->search, "mcm") != 0)
		return err_set(err,
			       "--resume goes with --search mcm, not with "
			       "%s",
			       v->search);
	if (v->races && strcmp(v->search, "mcm") != 0)
		return err_set(err,
			       "--races goes with --search mcm, not with %s",
			       v->search);
	rc = program_find(&p, program, err);
	program_done(&p);
	return rc;
}

static int check_places(const struct explore_values *v, struct err *err)
{
	if (view_check_output(v->output, err) < 0 ||
	    view_check_output(v->classes, err) < 0 ||
	    view_check_output(v->interleavings, err) < 0)
		return -1;
	return store_check(v->store, err);
}

static int cmd_explore(const void *values, int argc, char **argv,
		       struct err *err)
{
	const struct explore_values *v = values;
	struct table t = { .v = v, .feed.fd = -1 };
	char *guest;
	int rc = -1;

	(void)argc;
	if (check_values(v, argv[0], err) < 0 || check_places(v, err) < 0)
		return -1;
	guest = install_find("libheddle.so", err);
	if (guest && outputs_init(&t.outputs, v->expect, v->check, err) == 0 &&
	    feed_init(&t.feed, 0, err) == 0)
		rc = run(&t, argv, guest, err);
	table_done(&t);
	free(guest);
	return rc;
}

const struct verb verb_explore = {
	.name = "explore",
	.summary = "run a program on every schedule that makes a difference",
	.synopsis = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.flags = VERB_PROGRAM | VERB_NEEDS_ONE | VERB_LASTS,
	.options = explore_options,
	.defaults = &explore_defaults,
	.options_size = sizeof(struct explore_values),
	.run = cmd_explore,
};
