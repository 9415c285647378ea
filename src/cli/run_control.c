/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_modes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "store/again.h"
#include "regress/derive.h"
#include "report/report_campaign.h"
#include "store/keeping.h"
#include "store/repro.h"
#include "store/store.h"
#include "trial/campaign.h"
#include "trial/feed.h"
#include "trial/interrupts.h"
#include "trial/progress.h"
#include "trial/scratch.h"

enum {
	RUNS_DEFAULT = 1000,
};

/* Everything that is at hand during a campaign. */
struct table {
	const struct run_options *o;
	char **argv;
	struct outputs outputs;
	struct feed feed;
	struct campaign_result result;
	char **names; /* of the repro of each failure, or NULL */
};

static struct control_ask ask_of(const struct run_options *o)
{
	struct control_ask ask = {
		.strategy = strategy_named(o->strategy, STRATEGY_RANDOM),
		.depth = (uint32_t)o->depth,
		.points_most = o->max_points,
		.hang_ms = o->hang,
		.memory_most = o->memory,
		.processors = CONTROL_PROCESSORS,
	};

	if (o->spurious)
		ask.flags |= CONTROL_SPURIOUS;
	ask.flags |= points_named(o->points);
	if (strcmp(o->view.fail_on, "race") == 0)
		ask.flags |= CONTROL_RECORD | CONTROL_STOP;
	return ask;
}

/* ---- keeping ---- */

static int keep(struct table *t, size_t n, struct err *err)
{
	const struct failure *f = &t->result.failures.at[n];
	const struct run_options *o = t->o;
	const struct keeping k = {
		.store = o->store,
		.argv = t->argv,
		.strategy = o->strategy,
		.outputs = &t->outputs,
		.feed = &t->feed,
		.inputs = o->inputs.at,
		.input_count = o->inputs.count,
		.points_most = o->max_points,
		.hang_ms = o->hang,
		.is_exec = t->result.is_fresh && o->exec,
		.is_ready_idle = strcmp(o->ready, "idle") == 0,
	};
	bool was_known;

	if (keeping_save(&k, f->captured, &f->verdict, NULL, &t->names[n],
			 &was_known, err) < 0)
		return -1;
	if (!was_known) {
		again_make_readable(o->store, t->names[n]);
		signatures_keep(o->store, t->names[n]);
	}
	return 0;
}

static int keep_all(struct table *t, struct err *err)
{
	size_t count = t->result.failures.count;

	t->names = xcalloc(count + 1, sizeof(*t->names));
	for (size_t i = 0; i < count; i++)
		if (t->result.failures.at[i].verdict.status == EXIT_BROKEN &&
		    keep(t, i, err) < 0)
			return -1;
	return count ? repro_tidy(t->o->store, t->o->keep, err) : 0;
}

/* ---- telling ---- */

/* The only run of a campaign prints as if it were started without us. */
static void pass_output(const struct table *t)
{
	const struct campaign_result *r = &t->result;

	if (!r->output || t->o->view.json)
		return;
	fwrite(r->output, 1, r->output_size, stdout);
	fflush(stdout);
	fwrite(r->errors, 1, r->errors_size, stderr);
	if (r->output_size)
		puts("==== heddle");
}

static int tell(const struct table *t, struct err *err)
{
	const struct run_options *o = t->o;
	struct campaign_report report = {
		.result = &t->result,
		.argv = t->argv,
		.strategy = o->strategy,
		.seed = o->seed,
		.names = t->names,
		.store = strcmp(o->store, STORE_DEFAULT) == 0 ? NULL : o->store,
		.shows_output = !t->result.output,
	};
	FILE *out = view_is_stdout(o->view.output) ?
			    stdout :
			    fopen(o->view.output, "we");

	if (!out)
		return err_set(err, "cannot write %s: %s", o->view.output,
			       strerror(errno));
	pass_output(t);
	if (o->view.json)
		report_campaign_json(&report, out);
	else
		report_campaign_text(&report, out);
	if (out != stdout && fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", o->view.output,
			       strerror(errno));
	return campaign_status(&t->result);
}

/* ---- the campaign ---- */

static int campaign(struct table *t, const char *guest, struct err *err)
{
	const struct run_options *o = t->o;
	struct progress progress;
	struct campaign_options c = {
		.argv = t->argv,
		.guest = guest,
		.input = t->feed.fd,
		.ask = ask_of(o),
		.seed = o->seed,
		.runs = o->runs < UINT64_MAX ? o->runs :
			o->time_for	     ? 0 :
					       RUNS_DEFAULT,
		.time_ms = o->time_for,
		.workers = (uint32_t)o->jobs,
		.all_failures = o->all_failures,
		.doubts = true,
		.exec = o->exec,
		.is_ready_idle = strcmp(o->ready, "idle") == 0,
		.inputs = o->inputs.at,
		.input_count = o->inputs.count,
		.outputs = &t->outputs,
		.tell = progress_tell,
		.to = &progress,
	};
	int rc;

	progress_init(&progress, stderr);
	rc = campaign_run(&c, &t->result, err);
	progress_done(&progress);
	if (rc == 0 && t->result.is_fresh && !o->exec)
		log_warn("%s cannot be forked (%s), so each run is started "
			 "afresh",
			 t->argv[0],
			 t->result.why_fresh ? t->result.why_fresh : "");
	return rc;
}

static void table_done(struct table *t)
{
	for (size_t i = 0; t->names && i < t->result.failures.count; i++)
		free(t->names[i]);
	free(t->names);
	campaign_done(&t->result);
	feed_done(&t->feed);
	outputs_done(&t->outputs);
}

int run_control(const struct run_options *o, const char *guest, char **argv,
		struct err *err)
{
	struct table t = { .o = o, .argv = argv, .feed.fd = -1 };
	int rc = -1;

	interrupts_hold();
	if (outputs_init(&t.outputs, o->expect, o->check, err) == 0 &&
	    scratch_check(o->inputs.at, o->inputs.count, err) == 0 &&
	    feed_init(&t.feed, 0, err) == 0 && campaign(&t, guest, err) == 0 &&
	    keep_all(&t, err) == 0)
		rc = tell(&t, err);
	table_done(&t);
	interrupts_release();
	return rc;
}
