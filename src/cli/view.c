/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/unserial.h"
#include "report/report.h"
#include "report/report_unserial.h"
#include "trace/trace.h"
#include "trial/trial.h"

/* Everything that is open while a trace is looked at. */
struct desk {
	const struct view *view;
	struct trace *trace;
	struct sites *sites;
	struct suppressions *suppress;
	struct analysis_result *result;
	FILE *out;
};

static struct ending ending_in(const struct trace *t)
{
	const struct trace_end *end = trace_end(t);
	struct ending e = { .verdict = EXIT_UNKNOWN };

	if (end)
		return ending_of(end->wait_status);
	snprintf(e.text, sizeof(e.text), "has no end in this trace");
	return e;
}

static bool is_failure(const char *fail_on, const struct analysis_result *r)
{
	if (strcmp(fail_on, "none") == 0)
		return false;
	if (strcmp(fail_on, "race") == 0)
		return r->race_count > 0;
	if (strcmp(fail_on, "cycle") == 0)
		return r->lockcycle_count > 0;
	return r->race_count + r->lockcycle_count > 0;
}

/* A program that ended well and showed nothing has not held as long as a part
 * of what it did is unknown. */
static enum exit_status judge(const struct desk *d, enum exit_status ending)
{
	const struct trace_end *end = trace_end(d->trace);

	if (is_failure(d->view->options->fail_on, d->result))
		return EXIT_BROKEN;
	if (ending == EXIT_HELD &&
	    (trace_missing(d->trace) || end->lost || !trace_threads(d->trace)))
		return EXIT_UNKNOWN;
	return ending;
}

bool view_is_colourful(const struct view_options *options, FILE *out)
{
	if (strcmp(options->colour, "auto") == 0)
		return isatty(fileno(out));
	return strcmp(options->colour, "always") == 0;
}

bool view_is_stdout(const char *output)
{
	return !output || strcmp(output, "-") == 0;
}

static int open_output(struct desk *d, struct err *err)
{
	const char *path = d->view->options->output;

	d->out = view_is_stdout(path) ? stdout : fopen(path, "we");
	if (!d->out)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}

/* Standard output is the frame's to check. */
static int close_output(struct desk *d, struct err *err)
{
	FILE *out = d->out;
	int failed;

	d->out = NULL;
	if (!out || out == stdout)
		return 0;
	failed = ferror(out);
	failed |= fclose(out) == EOF;
	if (failed)
		return err_set(err, "cannot write %s: %s",
			       d->view->options->output, strerror(errno));
	return 0;
}

static int open_desk(struct desk *d, struct err *err)
{
	const struct view_options *o = d->view->options;

	if (o->suppress) {
		d->suppress = suppressions_read(o->suppress, err);
		if (!d->suppress)
			return -1;
	}
	d->trace = trace_open(d->view->path, err);
	if (!d->trace)
		return -1;
	d->sites = sites_new(d->trace);
	return open_output(d, err);
}

static void close_desk(struct desk *d)
{
	analysis_free(d->result);
	sites_free(d->sites);
	trace_close(d->trace);
	suppressions_free(d->suppress);
}

static int dump(struct desk *d)
{
	struct ending ending = ending_in(d->trace);

	report_dump(d->trace, d->sites, d->view->options->json, d->out);
	return ending.verdict;
}

static int list_interleavings(struct desk *d)
{
	bool by_gap = strcmp(d->view->options->rank, "gap") == 0;
	struct unserial_result *r = unserial_of(
		d->trace, by_gap ? UNSERIAL_BY_GAP : UNSERIAL_FIRST_COME);

	report_unserial(&(struct unserial_report){ .trace = d->trace,
						   .sites = d->sites,
						   .result = r },
			d->out);
	unserial_free(r);
	return ending_in(d->trace).verdict;
}

static int summarise(struct desk *d, struct err *err)
{
	const struct view_options *o = d->view->options;
	const struct analysis_options wanted = { .races = true,
						 .lockcycles = true,
						 .summary = true,
						 .suppress = d->suppress,
						 .sites = d->sites };
	struct ending ending = ending_in(d->trace);
	struct report report;

	d->result = analyse(d->trace, &wanted, err);
	if (!d->result)
		return -1;
	report = (struct report){
		.trace = d->trace,
		.sites = d->sites,
		.summary = &d->result->summary,
		.races = d->result->races,
		.race_count = d->result->race_count,
		.cycles = d->result->lockcycles,
		.cycle_count = d->result->lockcycle_count,
		.cycles_were_cut = d->result->lockcycles_were_cut,
		.suppressed = d->result->races_suppressed +
			      d->result->lockcycles_suppressed,
		.verdict = judge(d, ending.verdict),
		.ending = ending.text,
		.name = d->view->name,
	};
	if (o->json)
		report_json(&report, d->out);
	else
		report_text(&report,
			    view_is_colourful(d->view->options, d->out),
			    d->out);
	return report.verdict;
}

static int look(struct desk *d, struct err *err)
{
	if (d->view->options->interleavings)
		return list_interleavings(d);
	if (d->view->options->dump)
		return dump(d);
	return summarise(d, err);
}

int view_check_output(const char *output, struct err *err)
{
	FILE *f;

	if (view_is_stdout(output))
		return 0;
	f = fopen(output, "ae");
	if (!f)
		return err_set(err, "cannot write %s: %s", output,
			       strerror(errno));
	fclose(f);
	return 0;
}

int view_check(const struct view_options *options, struct err *err)
{
	struct suppressions *s;

	if (options->suppress) {
		s = suppressions_read(options->suppress, err);
		if (!s)
			return -1;
		suppressions_free(s);
	}
	return view_check_output(options->output, err);
}

int view_trace(const struct view *v, struct err *err)
{
	struct desk d = { .view = v };
	struct err ignored;
	int rc = open_desk(&d, err);

	if (rc == 0 && v->is_after_program && d.out == stdout &&
	    !v->options->json && !v->options->dump)
		puts("==== heddle");
	if (rc == 0)
		rc = look(&d, err);
	if (close_output(&d, rc < 0 ? &ignored : err) < 0)
		rc = -1;
	close_desk(&d);
	return rc;
}
