/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/evidence.h"
#include "cli/reporting.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "format/verdict.h"
#include "report/bug_sarif.h"
#include "report/junit.h"
#include "report/page.h"
#include "store/store.h"
#include "store/tested.h"
#include "trial/interrupts.h"

struct report_options {
	const char *store, *output;
	bool json, sarif, junit;
	uint64_t replays;
};

static const struct report_options report_defaults = {
	.store = STORE_DEFAULT,
	.replays = 3,
};

static const struct arg report_options[] = {
	ARG_PATH(struct report_options, output, "output", 'o', "FILE",
		 "write it to FILE (.heddle/report/index.html)"),
	ARG_FLAG(struct report_options, json, "json", 0,
		 "as JSON, on standard output"),
	ARG_FLAG(struct report_options, sarif, "sarif", 0,
		 "as SARIF 2.1.0, for code hosts and editors"),
	ARG_FLAG(struct report_options, junit, "junit", 0,
		 "as JUnit XML, for CI servers"),
	ARG_NUMBER(struct report_options, replays, "replays", 0, "N",
		   "see how certain each failure is by N replays (3)"),
	ARG_PATH(struct report_options, store, "store", 0, "DIR",
		 "look in DIR (.heddle)"),
	ARG_END,
};

/* ---- what is reported ---- */

struct gathered {
	VEC(struct evidence) evidence;
	VEC(struct document_bug) bugs;
	json_t *tests;
};

static int gather(struct gathered *g, const struct report_options *o,
		  const char *name, struct err *err)
{
	const struct evidence_replays replays = { (uint32_t)o->replays,
						  UINT64_MAX };
	struct evidence e;
	int rc = evidence_gather(&e, o->store, name, replays, err);

	if (rc == 0)
		vec_push(&g->evidence, e);
	else
		evidence_done(&e);
	return rc;
}

/* One that is damaged does not keep the others from being reported. */
static void gather_store(struct gathered *g, const struct report_options *o)
{
	struct repro_list list;
	struct err one;

	repro_list_init(&list, o->store);
	for (size_t i = 0; i < list.lines.count && !interrupts_came(); i++)
		if (gather(g, o, list.lines.at[i].name, &one) < 0)
			log_warn("left out: %s", one.text);
	repro_list_done(&list);
	g->tests = tested_list(o->store);
}

static int gather_all(struct gathered *g, const struct report_options *o,
		      int argc, char **argv, struct err *err)
{
	int rc = 0;

	if (!argc)
		gather_store(g, o);
	for (int i = 0; rc == 0 && i < argc; i++)
		rc = gather(g, o, argv[i], err);
	for (size_t i = 0; i < g->evidence.count; i++)
		vec_push(&g->bugs, evidence_bug(&g->evidence.at[i]));
	if (rc == 0 && !g->bugs.count && !json_array_size(g->tests))
		return err_set(err,
			       "there is nothing to report in %s; heddle test "
			       "-- PROGRAM finds something",
			       o->store);
	return rc;
}

static void gathered_done(struct gathered *g)
{
	for (size_t i = 0; i < g->evidence.count; i++)
		evidence_done(&g->evidence.at[i]);
	vec_free(&g->evidence);
	vec_free(&g->bugs);
	json_decref(g->tests);
}

/* ---- how ---- */

static void write_junit(const struct gathered *g, FILE *out)
{
	struct junit_case *cases = xcalloc(g->bugs.count + 1, sizeof(*cases));
	struct junit_suite suite = { "heddle", cases, g->bugs.count };

	for (size_t i = 0; i < g->bugs.count; i++) {
		const struct repro *r = g->bugs.at[i].repro;

		cases[i] = (struct junit_case){ .name = r->name,
						.status = EXIT_BROKEN,
						.kind = document_kind(r),
						.message = r->verdict,
						.text = r->details,
						.output = r->output };
	}
	junit_write(&suite, out);
	free(cases);
}

static void write_form(const struct gathered *g, const struct report_options *o,
		       FILE *out)
{
	const struct document d = { g->bugs.at, g->bugs.count, g->tests };
	char *here = getcwd(NULL, 0);

	if (o->json)
		document_write(&d, false, out);
	else if (o->sarif)
		bug_sarif_write(&d, here, out);
	else if (o->junit)
		write_junit(g, out);
	else
		page_write(&d, out);
	free(here);
}

static int write_file(const struct gathered *g, const struct report_options *o,
		      const char *path, struct err *err)
{
	FILE *out = fopen(path, "we");
	int failed;

	if (!out)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	write_form(g, o, out);
	failed = ferror(out);
	if (fclose(out) == EOF || failed)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}

static int write_page(const struct gathered *g, const struct report_options *o,
		      struct err *err)
{
	const struct document d = { g->bugs.at, g->bugs.count, g->tests };
	char *path = NULL;
	int rc = reporting_page(&d, o->store, &path, err);

	if (rc == 0)
		printf("%s\n", path);
	free(path);
	return rc;
}

static int write_it(const struct gathered *g, const struct report_options *o,
		    struct err *err)
{
	if (o->output && !view_is_stdout(o->output))
		return write_file(g, o, o->output, err);
	if (!o->output && !o->json && !o->sarif && !o->junit)
		return write_page(g, o, err);
	write_form(g, o, stdout);
	return 0;
}

static int cmd_report(const void *values, int argc, char **argv,
		      struct err *err)
{
	const struct report_options *o = values;
	struct gathered g = { 0 };
	int rc;

	if (o->json + o->sarif + o->junit > 1)
		return err_set(err, "--json, --sarif and --junit are three "
				    "forms; give one of them");
	if (o->replays > 1000)
		return err_set(err, "--replays wants a number up to 1000");
	if (view_check_output(o->output, err) < 0)
		return -1;
	rc = gather_all(&g, o, argc, argv, err);
	/* What could not be run would be told as if it did not fail. */
	if (rc == 0 && interrupts_came())
		rc = err_set(err, "interrupted; nothing was written");
	if (rc == 0)
		rc = write_it(&g, o, err);
	gathered_done(&g);
	return rc == 0 ? EXIT_HELD : rc;
}

const struct verb verb_report = {
	.name = "report",
	.summary = "make a page of what was found, or a file for other tools",
	.synopsis = "[OPTION...] [NAME...]",
	.flags = VERB_OPERANDS | VERB_NAMES | VERB_LASTS,
	.options = report_options,
	.defaults = &report_defaults,
	.options_size = sizeof(struct report_options),
	.run = cmd_report,
};
