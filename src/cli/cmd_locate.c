/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/located_keep.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "report/report_locate.h"
#include "store/store.h"

struct locate_arguments {
	const char *store;
	const char *procedure, *level, *method;
	const char *pass, *fail, *save;
	uint64_t runs, native, delayed, time, seed, most;
	bool json, sarif;
	bool allow_check;
	bool no_experiments;
};

static const struct locate_arguments locate_defaults_here = {
	.store = STORE_DEFAULT,
	.method = "locon",
	.runs = 100,
	.native = 3,
	.delayed = 3,
	.time = 60 * 1000,
	.seed = 1,
	.most = 5,
};

static const struct arg locate_options[] = {
	ARG_CHOICE(struct locate_arguments, procedure, "procedure", 0, "1|2|3",
		   "only this procedure (all, in turn)"),
	ARG_CHOICE(struct locate_arguments, level, "level", 0,
		   "pc|thread|loop|context",
		   "how closely accesses are told apart (all, in turn)"),
	ARG_CHOICE(struct locate_arguments, method, "method", 0, "locon|falcon",
		   "falcon: patterns by suspiciousness"),
	ARG_NUMBER(struct locate_arguments, runs, "runs", 'n', "N",
		   "at most N passing runs (100)"),
	ARG_NUMBER(struct locate_arguments, native, "native", 0, "N",
		   "N of them free, on all cores (3)"),
	ARG_NUMBER(struct locate_arguments, delayed, "delayed", 0, "N",
		   "and N free ones with random delays (3)"),
	ARG_NUMBER(struct locate_arguments, seed, "seed", 0, "N",
		   "of the passing runs (1)"),
	ARG_DURATION(struct locate_arguments, time, "for", 0, "TIME",
		     "take about this long, at most (1m)"),
	ARG_NUMBER(struct locate_arguments, most, "most", 0, "N",
		   "report at most N suspects (5)"),
	ARG_FLAG(struct locate_arguments, no_experiments, "no-experiments", 0,
		 "do not try the suspects out"),
	ARG_PATH(struct locate_arguments, save, "save", 0, "DIR",
		 "leave the runs in DIR/pass and DIR/fail"),
	ARG_PATH(struct locate_arguments, pass, "pass", 0, "DIR",
		 "compare the runs in DIR, which passed"),
	ARG_PATH(struct locate_arguments, fail, "fail", 0, "DIR",
		 "with those in DIR, which failed"),
	ARG_FLAG(struct locate_arguments, json, "json", 0, "print JSON"),
	ARG_FLAG(struct locate_arguments, sarif, "sarif", 0,
		 "print SARIF 2.1.0"),
	ARG_FLAG(struct locate_arguments, allow_check, "allow-check", 0,
		 "run the check command that the repro brings"),
	ARG_PATH(struct locate_arguments, store, "store", 0, "DIR",
		 "look in DIR (.heddle)"),
	ARG_END,
};

static uint32_t below(uint64_t n, uint32_t most)
{
	return n < most ? (uint32_t)n : most;
}

static int level_of(const char *text)
{
	for (int i = 0; text && i < LEVELS; i++)
		if (strcmp(text, level_text((enum level)i)) == 0)
			return i;
	return LOCATE_ANY;
}

static struct locate_options options_of(const struct locate_arguments *a)
{
	struct locate_options o = locate_defaults;

	if (strcmp(a->method, "falcon") == 0)
		o.procedure = PROCEDURE_FALCON;
	else if (a->procedure)
		o.procedure = a->procedure[0] - '0';
	o.level = level_of(a->level);
	o.gather.most = below(a->runs, 1 << 16);
	o.gather.native = below(a->native, 1 << 16);
	o.gather.delayed = below(a->delayed, 1 << 16);
	o.time_ms = a->time;
	o.gather.seed = a->seed;
	o.allows_check = a->allow_check;
	o.skips_experiments = a->no_experiments ||
			      o.procedure == PROCEDURE_FALCON;
	/* Half of the time is for experiments, at least. */
	o.gather.time_ms = o.skips_experiments ? a->time : a->time / 2;
	o.report_most = below(a->most, 1 << 20);
	if (o.report_most > o.try_most)
		o.try_most = o.report_most;
	return o;
}

static int print(const struct locate_arguments *a, const struct located *l)
{
	if (a->json)
		report_locate_json(l, stdout);
	else if (a->sarif)
		report_locate_sarif(l, stdout);
	else
		report_locate_text(l, terminal_width(), stdout);
	if (!l->suspects.count || (l->has_experiments && !l->is_confirmed))
		return EXIT_UNKNOWN;
	return EXIT_BROKEN;
}

/* What would not be heeded, or leave nothing to say. */
static int check_wishes(const struct locate_arguments *a, struct err *err)
{
	if (a->json && a->sarif)
		return err_set(err, "either --json or --sarif");
	if (strcmp(a->method, "falcon") == 0 && (a->procedure || a->level))
		return err_set(err, "--procedure and --level are of locon; "
				    "falcon has neither");
	if (!a->most)
		return err_set(err, "--most 0 would report nothing");
	if (!a->time)
		return err_set(err, "--for 0 would show nothing");
	if (!a->runs && !a->pass)
		return err_set(err, "--runs 0 leaves no passing run to compare "
				    "the failing one with");
	return 0;
}

static int check_use(const struct locate_arguments *a, int argc, char **argv,
		     struct err *err)
{
	if (argc > 1)
		return err_set(err, "one failure at a time: %s is one too many",
			       argv[1]);
	if (!a->pass != !a->fail)
		return err_set(err, "--pass and --fail go together");
	if (a->pass && argc)
		return err_set(err,
			       "either a kept failure or --pass and --fail");
	if (!a->pass && !argc)
		return err_set(err, "which failure? see heddle list");
	if (a->pass && a->save)
		return err_set(err, "--save is for runs that are made");
	return check_wishes(a, err);
}

static int cmd_locate(const void *values, int argc, char **argv,
		      struct err *err)
{
	const struct locate_arguments *a = values;
	struct locate_options o = options_of(a);
	struct located l = { 0 };
	int rc;

	if (check_use(a, argc, argv, err) < 0)
		return -1;
	if (a->pass)
		rc = locate_runs(a->pass, a->fail, &o, &l, err);
	else
		rc = locate_repro(a->store, argv[0], &o, a->save, &l, err);
	if (rc == 0) {
		if (l.directory)
			located_keep(&l, a->store);
		rc = print(a, &l);
	}
	located_done(&l);
	return rc;
}

const struct verb verb_locate = {
	.name = "locate",
	.summary = "name the accesses that caused a kept failure",
	.synopsis = "[OPTION...] NAME",
	.flags = VERB_OPERANDS | VERB_NAMES | VERB_LASTS,
	.options = locate_options,
	.defaults = &locate_defaults_here,
	.options_size = sizeof(struct locate_arguments),
	.run = cmd_locate,
};
