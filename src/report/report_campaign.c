/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_campaign.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/xalloc.h"
#include "report/clean_text.h"
#include "report/wording.h"

/* ---- text ---- */

enum {
	LINES_SHOWN = 10,
	COLUMNS_SHOWN = 400, /* of a line */
};

/* The last lines of a text. */
static const char *tail(const char *text, size_t size)
{
	const char *at = text + size;
	int lines = 0;

	if (at > text && at[-1] == '\n')
		at--;
	for (; at > text; at--)
		if (at[-1] == '\n' && ++lines == LINES_SHOWN)
			break;
	return at;
}

/* Text of strangers: a terminal must not obey it. */
static void line_print(const char *text, size_t size, FILE *out)
{
	size_t shown = size < COLUMNS_SHOWN ? size : COLUMNS_SHOWN;
	char *line = xasprintf("%.*s", (int)shown, text);

	quote_clean(line);
	fprintf(out, "  | %s%s\n", line, shown < size ? " ..." : "");
	free(line);
}

void report_printed(const char *what, const char *text, size_t size, FILE *out)
{
	const char *end = text + size, *at = tail(text, size);

	if (!size)
		return;
	fprintf(out, "  %s:%s\n", what, at > text ? " (its last lines)" : "");
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((newline ? newline : end) - at);

		line_print(at, n, out);
		at += n + 1;
	}
}

static void print_failure(const struct campaign_report *r, size_t n, FILE *out)
{
	const struct failure *f = &r->result->failures.at[n];
	const struct captured *c = f->captured;

	fputs(f->verdict.details, out);
	if (r->shows_output) {
		report_printed("standard output", c->output, c->output_size,
			       out);
		report_printed("standard error", c->errors, c->errors_size,
			       out);
	}
	fprintf(out, "%s: %s", verdict_text(f->verdict.status),
		f->verdict.text);
}

static int digits(double seconds)
{
	return seconds < 1 ? 2 : 1;
}

static void print_again(const struct campaign_report *r, size_t n, FILE *out)
{
	if (!r->names[n])
		return;
	fputs("see it again: heddle replay ", out);
	if (r->store) {
		fputs("--store ", out);
		quote_word(r->store, out);
		putc(' ', out);
	}
	fprintf(out, "%s\n", r->names[n]);
}

/* A campaign that ended with its first failure. */
static void print_first(const struct campaign_report *r, FILE *out)
{
	const struct campaign_result *c = r->result;
	size_t last = c->failures.count - 1;

	print_failure(r, last, out);
	fprintf(out, "        %.*f s, ", digits(c->seconds), c->seconds);
	word_count(c->made, "schedule", "schedules", out);
	putc('\n', out);
	print_again(r, last, out);
}

void report_campaign_failure(const struct campaign_report *r, size_t n,
			     FILE *out)
{
	uint64_t index = r->result->failures.at[n].index;

	print_failure(r, n, out);
	/* A failure may be one of the runs that are not counted. */
	fprintf(out, "        schedule %" PRIu64 "\n",
		index + 1 - (index >= r->before ? r->before : 0));
	print_again(r, n, out);
}

static void print_each(const struct campaign_report *r, FILE *out)
{
	const struct campaign_result *c = r->result;

	for (size_t i = 0; i < c->failures.count; i++) {
		print_failure(r, i, out);
		fprintf(out,
			"        first in run %" PRIu64 ", in %" PRIu64
			" of %" PRIu64 "\n",
			c->failures.at[i].index + 1, c->failures.at[i].count,
			c->made);
		print_again(r, i, out);
	}
}

static void print_summary(const struct campaign_report *r, FILE *out)
{
	const struct campaign_result *c = r->result;
	enum exit_status status = campaign_status(c);

	fprintf(out, "%s: ", verdict_text(status));
	if (c->stopped_by)
		fprintf(out, "interrupted by SIG%s after ",
			sigabbrev_np(c->stopped_by));
	word_count(c->made, "schedule", "schedules", out);
	fprintf(out, " (%" PRIu64 " distinct), %s, seed %" PRIu64 ", %.*f s\n",
		c->distinct, r->strategy, r->seed, digits(c->seconds),
		c->seconds);
}

/* Failures tell their own. */
static void print_notes(const struct campaign_result *c, FILE *out)
{
	for (size_t i = 0; i < c->notes.count; i++)
		fprintf(out, "note: %s\n", c->notes.at[i]);
}

static bool is_first_only(const struct campaign_report *r)
{
	const struct campaign_result *c = r->result;
	size_t n = c->failures.count;

	return n && c->failures.at[n - 1].verdict.status == EXIT_BROKEN &&
	       c->failures.at[n - 1].index + 1 == c->made && !c->stopped_by;
}

void report_campaign_text(const struct campaign_report *r, FILE *out)
{
	if (is_first_only(r) && r->result->failures.count == 1) {
		print_first(r, out);
		return;
	}
	print_each(r, out);
	if (!r->result->failures.count)
		print_notes(r->result, out);
	print_summary(r, out);
}

/* ---- JSON ---- */

static json_t *text(const char *s)
{
	return clean_json(s);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

json_t *report_campaign_failure_json(const struct failure *f, const char *name)
{
	json_t *j = json_object();

	json_object_set_new(j, "verdict",
			    text(verdict_text(f->verdict.status)));
	json_object_set_new(j, "kind", text(oracle_kind_text(f->verdict.kind)));
	json_object_set_new(j, "text", text(f->verdict.text));
	json_object_set_new(j, "identity", text(f->verdict.identity));
	json_object_set_new(j, "details", text(f->verdict.details));
	json_object_set_new(j, "repro", text(name));
	json_object_set_new(j, "run", number(f->index));
	json_object_set_new(j, "seed", number(f->captured->run.seed));
	json_object_set_new(j, "count", number(f->count));
	json_object_set_new(j, "points", number(f->captured->run.points));
	json_object_set_new(j, "steps", number(f->captured->step_count));
	json_object_set_new(j, "output", text(f->captured->output));
	json_object_set_new(j, "errors", text(f->captured->errors));
	return j;
}

static json_t *command(char *const *argv)
{
	json_t *j = json_array();

	for (; *argv; argv++)
		json_array_append_new(j, text(*argv));
	return j;
}

static json_t *notes(const struct campaign_result *c)
{
	json_t *j = json_array();

	for (size_t i = 0; i < c->notes.count; i++)
		json_array_append_new(j, text(c->notes.at[i]));
	return j;
}

void report_campaign_json(const struct campaign_report *r, FILE *out)
{
	const struct campaign_result *c = r->result;
	json_t *j = json_object(), *all = json_array();
	char *line;

	for (size_t i = 0; i < c->failures.count; i++)
		json_array_append_new(
			all, report_campaign_failure_json(&c->failures.at[i],
							  r->names[i]));
	json_object_set_new(j, "format", text("heddle-campaign"));
	json_object_set_new(j, "version", number(1));
	json_object_set_new(j, "verdict",
			    text(verdict_text(campaign_status(c))));
	json_object_set_new(j, "command", command(r->argv));
	json_object_set_new(j, "strategy", text(r->strategy));
	json_object_set_new(j, "seed", number(r->seed));
	json_object_set_new(j, "runs", number(c->made));
	json_object_set_new(j, "distinct", number(c->distinct));
	json_object_set_new(j, "seconds", json_real(c->seconds));
	json_object_set_new(j, "interrupted", json_boolean(c->stopped_by));
	json_object_set_new(j, "notes", notes(c));
	json_object_set_new(j, "failures", all);
	line = json_dumps(j, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fprintf(out, "%s\n", line);
	free(line);
	json_decref(j);
}
