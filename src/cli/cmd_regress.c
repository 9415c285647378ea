/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/located_keep.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "regress/regress.h"
#include "report/report_regress.h"
#include "store/store.h"
#include "trial/interrupts.h"

struct regress_values {
	const char *store;
	const char *program;
	const char *method;
	const char *junit;
	uint64_t runs;
	uint64_t seed;
	bool explain;
	bool json;
	bool allow_check;
	bool no_keep;
};

static const struct regress_values regress_defaults = {
	.store = STORE_DEFAULT,
	.method = "similar",
	.runs = 100,
	.seed = 1,
};

static const struct arg regress_options[] = {
	ARG_PATH(struct regress_values, program, "program", 0, "PATH",
		 "the new build (default: where the old one was)"),
	ARG_NUMBER(struct regress_values, runs, "runs", 'n', "N",
		   "of each failure, at most (100)"),
	ARG_CHOICE(struct regress_values, method, "method", 0, "similar|maple",
		   "hunt for what is like the failure (similar), or profile "
		   "and try all interleavings (maple)"),
	ARG_NUMBER(struct regress_values, seed, "seed", 0, "K",
		   "of the first run; the next has K + 1 (1)"),
	ARG_FLAG(struct regress_values, explain, "explain", 0,
		 "say why each place was taken for what it was before"),
	ARG_FLAG(struct regress_values, no_keep, "no-keep", 0,
		 "do not keep what breaks as a new repro"),
	ARG_FLAG(struct regress_values, allow_check, "allow-check", 0,
		 "run the check commands that repros bring"),
	ARG_PATH(struct regress_values, junit, "junit", 0, "FILE",
		 "write the verdicts to FILE as JUnit XML as well"),
	ARG_FLAG(struct regress_values, json, "json", 0, "print JSON"),
	ARG_PATH(struct regress_values, store, "store", 0, "DIR",
		 "look in DIR (.heddle)"),
	ARG_END,
};

struct session {
	const struct regress_values *values;
	VEC(struct regress_result) results;
	bool tries_all;
	bool has_failed; /* one could not be tried */
};

static int try_one(struct session *s, const char *name, struct err *err)
{
	const struct regress_values *v = s->values;
	struct regress_options o = {
		.store = v->store,
		.program = v->program,
		.runs = v->runs,
		.seed = v->seed,
		.method = strcmp(v->method, "maple") == 0 ? REGRESS_MAPLE :
							    REGRESS_SIMILAR,
		.allows_check = v->allow_check,
		.keeps = !v->no_keep,
		.fits_schedule = s->tries_all,
		.keep_located = located_keep,
	};
	struct regress_result r;
	int rc = regress_run(&o, name, &r, err);

	vec_push(&s->results, r);
	return rc;
}

/* One that is damaged, or whose program is gone, does not keep the others from
 * being tried. It is a row of the table, and the first error is the verb's. */
static void try_next(struct session *s, const char *name, struct err *err)
{
	struct regress_result *last;
	struct err one;

	if (try_one(s, name, &one) == 0)
		return;
	last = &s->results.at[s->results.count - 1];
	last->verdict = REGRESS_UNKNOWN;
	last->has_failed = true;
	free(last->why);
	last->why = xstrdup(one.text);
	if (!s->has_failed)
		err_set(err, "%s", one.text);
	s->has_failed = true;
}

/* What a repro became by an earlier regress stands for itself then: it is the
 * newest form of the bug. */
static int try_all(struct session *s, struct err *err)
{
	struct repro_list list;
	int rc = 0;

	s->tries_all = true;
	repro_list_init(&list, s->values->store);
	if (!list.lines.count)
		rc = err_set(err,
			     "there are no repros in %s; heddle run "
			     "--strategy keeps what it finds",
			     s->values->store);
	for (size_t i = 0; i < list.lines.count && !interrupts_came(); i++)
		try_next(s, list.lines.at[i].name, err);
	repro_list_done(&list);
	return rc;
}

static int write_junit(const struct regress_report *report, const char *path,
		       struct err *err)
{
	FILE *out = fopen(path, "we");

	if (out)
		report_regress_junit(report, out);
	if (!out || fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}

/* Broken comes before failed: what is known is known. */
static int tell(const struct session *s, struct err *err)
{
	const struct regress_values *v = s->values;
	struct regress_report report = {
		.results = s->results.at,
		.count = s->results.count,
		.store = strcmp(v->store, STORE_DEFAULT) == 0 ? NULL : v->store,
		.explains = v->explain,
	};
	int status;

	if (v->junit && write_junit(&report, v->junit, err) < 0)
		return -1;
	if (v->json)
		report_regress_json(&report, stdout);
	else
		report_regress_text(&report, stdout);
	status = report_regress_status(&report);
	return status == EXIT_FAILED ? -1 : status;
}

static int cmd_regress(const void *values, int argc, char **argv,
		       struct err *err)
{
	struct session s = { .values = values };
	int rc = 0;

	if (!s.values->runs)
		return err_set(err, "--runs 0 would show nothing");
	if (view_check_output(s.values->junit, err) < 0)
		return -1;
	if (s.values->program && !argc)
		return err_set(err, "--program is of one failure; name it "
				    "(heddle list shows what there is)");
	if (argc == 1)
		rc = try_one(&s, argv[0], err);
	for (int i = 0; i < argc && argc > 1 && !interrupts_came(); i++)
		try_next(&s, argv[i], err);
	if (!argc)
		rc = try_all(&s, err);
	if (rc == 0)
		rc = tell(&s, err);
	for (size_t i = 0; i < s.results.count; i++)
		regress_done(&s.results.at[i]);
	vec_free(&s.results);
	return rc;
}

const struct verb verb_regress = {
	.name = "regress",
	.summary = "is the fix complete? hunt for a kept failure in a new "
		   "build",
	.synopsis = "[OPTION...] [NAME...]",
	.flags = VERB_OPERANDS | VERB_NAMES | VERB_LASTS,
	.options = regress_options,
	.defaults = &regress_defaults,
	.options_size = sizeof(struct regress_values),
	.run = cmd_regress,
};
