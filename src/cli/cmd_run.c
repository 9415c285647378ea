/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/install.h"
#include "cli/run_args.h"
#include "cli/run_modes.h"
#include "cli/verb.h"
#include "store/store.h"
#include "trial/program.h"

static const struct run_options run_defaults = {
	RUN_ARGS_DEFAULTS, /* limits, and where it is kept */
	.view = VIEW_DEFAULTS, .depth = 3,	   .seed = 1,
	.runs = UINT64_MAX,    .points = "shared", .ready = "main",
};

/* Those of strategy.def but the one that needs a plan. */
#define STRATEGIES_TO_CHOOSE "random|pct|pos|surw|round-robin"

static const struct arg run_options[] = {
	ARG_FLAG(struct run_options, observe, "observe", 0,
		 "let threads run freely and record what they do"),
	ARG_CHOICE(struct run_options, strategy, "strategy", 0,
		   STRATEGIES_TO_CHOOSE,
		   "run many times, choosing which thread goes on"),
	ARG_NUMBER(struct run_options, runs, "runs", 'n', "N",
		   "how many times (1000, or as time allows)"),
	ARG_DURATION(struct run_options, time_for, "for", 0, "TIME",
		     "how long (500ms, 30s, 2m)"),
	ARG_NUMBER(struct run_options, seed, "seed", 0, "K",
		   "of the first run; the next has K + 1 (1)"),
	ARG_NUMBER(struct run_options, depth, "depth", 0, "D",
		   "of the bugs pct looks for (3)"),
	RUN_ARGS_JOBS(struct run_options),
	ARG_FLAG(struct run_options, all_failures, "all-failures", 0,
		 "go on after the first failure, keep each kind"),
	ARG_CHOICE(struct run_options, points, "points", 0, "all|shared|sync",
		   "accesses at which threads may change (shared)"),
	ARG_FLAG(struct run_options, spurious, "spurious", 0,
		 "let waits on conditions end without cause"),
	RUN_ARGS_JUDGED(struct run_options),
	RUN_ARGS_START(struct run_options),
	ARG_CHOICE(struct run_options, ready, "ready", 0, "main|idle",
		   "where runs begin, unless the program says (main)"),
	RUN_ARGS_LIMITS(struct run_options),
	ARG_FLAG(struct run_options, all, "all", 'a',
		 "record every access, not only to shared memory"),
	ARG_DURATION(struct run_options, time, "time", 't', "TIME",
		     "kill the program after TIME (500ms, 30s, 2m)"),
	ARG_PATH(struct run_options, trace, "trace", 0, "FILE",
		 "write the trace to FILE, keep no run"),
	RUN_ARGS_KEPT(struct run_options),
	VIEW_ARGS(struct run_options),
	ARG_END,
};

/* ---- options of the one way and of the other ---- */

static const char *const of_control[] = {
	"runs",	  "for",      "seed",	    "depth",  "jobs", "all-failures",
	"points", "spurious", "expect",	    "check",  "exec", "input",
	"ready",  "hang",     "max-points", "memory", NULL,
};

static const char *const of_observe[] = {
	"all", "time", "trace", "dump", "suppress", NULL,
};

static bool is_given(const struct arg *a, const struct run_options *o)
{
	return memcmp((const char *)o + a->offset,
		      (const char *)&run_defaults + a->offset,
		      args_size(a->kind)) != 0;
}

static const struct arg *first_given(const char *const *names,
				     const struct run_options *o)
{
	for (; *names; names++)
		for (const struct arg *a = run_options; a->name; a++)
			if (strcmp(a->name, *names) == 0 && is_given(a, o))
				return a;
	return NULL;
}

static int check_way(const struct run_options *o, const char *program,
		     struct err *err)
{
	const struct arg *wrong;

	if (!o->observe && !o->strategy)
		return err_set(err,
			       "say how to run it: heddle run --observe -- %s "
			       "(once, watched), or heddle run --strategy "
			       "random -- %s (many times, controlled)",
			       program, program);
	if (o->observe && o->strategy)
		return err_set(err, "--observe and --strategy are two ways to "
				    "run a program; give one of them");
	wrong = first_given(o->observe ? of_control : of_observe, o);
	if (wrong)
		return err_set(err, "--%s goes with %s, not with %s",
			       wrong->name,
			       o->observe ? "--strategy" : "--observe",
			       o->observe ? "--observe" : "--strategy");
	return 0;
}

static int check_numbers(const struct run_options *o, struct err *err)
{
	enum { JOBS_MOST = 256 };

	if (o->jobs > JOBS_MOST)
		return err_set(err, "--jobs wants a number up to %d, not %llu",
			       JOBS_MOST, (unsigned long long)o->jobs);
	if (!o->depth || o->depth > 100)
		return err_set(err,
			       "--depth wants a number from 1 to 100, not "
			       "%llu",
			       (unsigned long long)o->depth);
	if (o->strategy && strcmp(o->view.fail_on, "none") != 0 &&
	    strcmp(o->view.fail_on, "race") != 0)
		return err_set(err,
			       "--fail-on wants race or none with --strategy, "
			       "not %s",
			       o->view.fail_on);
	if (!o->max_points)
		return err_set(err, "--max-points wants a number above 0");
	if (!o->runs)
		return err_set(err, "--runs 0 would show nothing");
	return 0;
}

/* Before anything is made in the store. */
static int check_program(const char *name, struct err *err)
{
	struct program program;
	int rc = program_find(&program, name, err);

	program_done(&program);
	return rc;
}

static int cmd_run(const void *values, int argc, char **argv, struct err *err)
{
	const struct run_options *o = values;
	char *guest;
	int rc = -1;

	(void)argc;
	if (check_way(o, argv[0], err) < 0 || check_numbers(o, err) < 0 ||
	    check_program(argv[0], err) < 0 || view_check(&o->view, err) < 0 ||
	    (!o->trace && store_check(o->store, err) < 0))
		return -1;
	guest = install_find("libheddle.so", err);
	if (guest)
		rc = o->observe ? run_observe(o, guest, argv, err) :
				  run_control(o, guest, argv, err);
	free(guest);
	return rc;
}

const struct verb verb_run = {
	.name = "run",
	.summary = "run a program and say what its threads did to each other",
	.synopsis = "--observe|--strategy S [OPTION...] [--] PROGRAM "
		    "[ARGUMENT...]",
	.flags = VERB_PROGRAM | VERB_NEEDS_ONE,
	.options = run_options,
	.defaults = &run_defaults,
	.options_size = sizeof(struct run_options),
	.run = cmd_run,
};
