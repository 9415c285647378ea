/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"
#include "cli/run_args.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "expose/expose.h"
#include "regress/derive.h"
#include "report/report_expose.h"
#include "store/store.h"
#include "trial/program.h"

struct expose_values {
	uint64_t budget, profiles, runs, jobs, seed, keep, hang, max_points,
		memory;
	const char *method, *rank, *store, *output, *plot, *expect, *check;
	struct arg_list inputs;
	bool explain, stacks, json, all_failures, exec;
};

static const struct expose_values expose_defaults = {
	RUN_ARGS_DEFAULTS, /* limits, and where it is kept */
	.budget = 60000,      .profiles = 50, .seed = 1,
	.method = "ctrigger", .rank = "gap",
};

static const struct arg expose_table[] = {
	ARG_DURATION(struct expose_values, budget, "budget", 'b', "TIME",
		     "how long at most (60s)"),
	ARG_CHOICE(struct expose_values, method, "method", 0,
		   "ctrigger|stress|pure|sync|race",
		   "force interleavings (ctrigger), or one for comparison"),
	ARG_NUMBER(struct expose_values, profiles, "profiles", 0, "N",
		   "look at N runs under control besides the watched (50)"),
	ARG_NUMBER(struct expose_values, runs, "runs", 'n', "N",
		   "of a method for comparison, at most N runs"),
	ARG_CHOICE(struct expose_values, rank, "rank", 0, "gap|first-come",
		   "which to force first: the rarest (gap)"),
	ARG_FLAG(struct expose_values, stacks, "stacks", 0,
		 "tell places apart by the calls that lead to them"),
	ARG_FLAG(struct expose_values, explain, "explain", 0,
		 "list every candidate, and what was pruned and why"),
	ARG_FLAG(struct expose_values, all_failures, "all-failures", 0,
		 "go on after the first failure, keep each kind"),
	RUN_ARGS_JOBS(struct expose_values),
	ARG_NUMBER(struct expose_values, seed, "seed", 0, "K",
		   "of the first run (1)"),
	RUN_ARGS_JUDGED(struct expose_values),
	RUN_ARGS_START(struct expose_values),
	RUN_ARGS_LIMITS(struct expose_values),
	RUN_ARGS_KEPT(struct expose_values),
	ARG_FLAG(struct expose_values, json, "json", 0, "print JSON"),
	ARG_PATH(struct expose_values, plot, "plot", 0, "FILE",
		 "draw the coverage over time to FILE, as SVG"),
	ARG_PATH(struct expose_values, output, "output", 'o', "FILE",
		 "print to FILE instead of standard output"),
	ARG_END,
};

static enum expose_method method_of(const char *name)
{
	for (int m = 0; m < EXPOSE_METHODS; m++)
		if (strcmp(expose_method_text((enum expose_method)m), name) ==
		    0)
			return (enum expose_method)m;
	return EXPOSE_CTRIGGER;
}

/* ---- a line for those who wait ---- */

static void tell(void *to, const struct expose_news *news)
{
	bool *is_on = to;
	char *line;

	if (!isatty(2))
		return;
	line = report_expose_progress(news);
	fprintf(stderr, "\r\033[K%.100s", line);
	*is_on = true;
	free(line);
}

static void tell_end(bool is_on)
{
	if (is_on)
		fputs("\r\033[K", stderr);
}

/* ---- the verb ---- */

static int plot(const struct expose_values *v, const struct expose_result *r,
		struct err *err)
{
	FILE *out;

	if (!v->plot)
		return 0;
	out = fopen(v->plot, "we");
	if (out)
		report_coverage_svg(r, out);
	if (!out || fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", v->plot,
			       strerror(errno));
	return 0;
}

static int print(const struct expose_values *v, const struct expose_report *r,
		 struct err *err)
{
	FILE *out = view_is_stdout(v->output) ? stdout : fopen(v->output, "we");

	if (!out)
		return err_set(err, "cannot write %s: %s", v->output,
			       strerror(errno));
	if (v->json)
		report_expose_json(r, out);
	else
		report_expose_text(r, out);
	if (out != stdout && fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", v->output,
			       strerror(errno));
	return expose_status(r->result);
}

/* What was found gets signatures, for the day it is fixed. */
static void sign(const struct expose_result *r, const char *store)
{
	for (size_t i = 0; i < r->bugs.count; i++)
		if (r->bugs.at[i].name && !r->bugs.at[i].was_known)
			signatures_keep(store, r->bugs.at[i].name);
}

static int expose(const struct expose_values *v, char **argv, const char *guest,
		  const struct outputs *outputs, const struct feed *feed,
		  struct err *err)
{
	bool is_on = false;
	struct expose_options o = {
		.guest = guest,
		.keeping = { .store = v->store,
			     .argv = argv,
			     .outputs = outputs,
			     .feed = feed,
			     .inputs = v->inputs.at,
			     .input_count = v->inputs.count,
			     .points_most = v->max_points,
			     .hang_ms = v->hang,
			     .is_exec = v->exec },
		.method = method_of(v->method),
		.rank = strcmp(v->rank, "gap") == 0 ? UNSERIAL_BY_GAP :
						      UNSERIAL_FIRST_COME,
		.budget_ms = v->budget,
		.jobs = (uint32_t)v->jobs,
		.seed = v->seed,
		.runs = v->runs,
		.profiles = (uint32_t)v->profiles,
		.is_by_stack = v->stacks,
		.all_failures = v->all_failures,
		.memory_most = v->memory,
		.tell = tell,
		.to = &is_on,
	};
	struct expose_result result;
	struct expose_report report = {
		.result = &result,
		.options = &o,
		.explains = v->explain,
		.store = strcmp(v->store, STORE_DEFAULT) == 0 ? NULL : v->store,
	};
	int rc = expose_run(&o, &result, err);

	tell_end(is_on);
	if (rc == 0 && !result.stopped_by)
		sign(&result, v->store);
	if (rc == 0 && result.bugs.count)
		rc = repro_tidy(v->store, v->keep, err);
	if (rc == 0)
		rc = plot(v, &result, err);
	if (rc == 0)
		rc = print(v, &report, err);
	expose_done(&result);
	return rc;
}

static int check_values(const struct expose_values *v, const char *name,
			struct err *err)
{
	struct program program;
	int rc;

	if (!v->budget)
		return err_set(err, "--budget 0 would find nothing");
	if (v->jobs > 256)
		return err_set(err, "--jobs wants a number up to 256, not %llu",
			       (unsigned long long)v->jobs);
	if (v->profiles > 100000)
		return err_set(err, "--profiles wants a number up to 100000");
	if (view_check_output(v->output, err) < 0 ||
	    view_check_output(v->plot, err) < 0 ||
	    store_check(v->store, err) < 0)
		return -1;
	for (size_t i = 0; i < v->inputs.count; i++)
		if (access(v->inputs.at[i], R_OK) < 0)
			return err_set(err, "--input: cannot read %s: %s",
				       v->inputs.at[i], strerror(errno));
	rc = program_find(&program, name, err);
	program_done(&program);
	return rc;
}

static int cmd_expose(const void *values, int argc, char **argv,
		      struct err *err)
{
	const struct expose_values *v = values;
	struct outputs outputs = { 0 };
	struct feed feed = { .fd = -1 };
	char *guest = NULL;
	int rc = -1;

	(void)argc;
	if (check_values(v, argv[0], err) == 0 &&
	    outputs_init(&outputs, v->expect, v->check, err) == 0 &&
	    feed_init(&feed, 0, err) == 0 &&
	    (guest = install_find("libheddle.so", err)))
		rc = expose(v, argv, guest, &outputs, &feed, err);
	free(guest);
	feed_done(&feed);
	outputs_done(&outputs);
	return rc;
}

const struct verb verb_expose = {
	.name = "expose",
	.summary = "force the rare interleavings that could break a program",
	.synopsis = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.flags = VERB_PROGRAM | VERB_NEEDS_ONE,
	.options = expose_table,
	.defaults = &expose_defaults,
	.options_size = sizeof(struct expose_values),
	.run = cmd_expose,
};
