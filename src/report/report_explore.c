/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_explore.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/clean_text.h"
#include "report/report_campaign.h"
#include "report/wording.h"

/* ---- the statement ---- */

static void print_scope(const struct explore_report *r, FILE *out)
{
	const struct explore_options *o = r->options;

	switch (o->search) {
	case SEARCH_MCM:
		fputs("every combination of what threads can read", out);
		break;
	case SEARCH_CHESS:
		fprintf(out,
			"every schedule with up to %" PRIu32 " preemptions",
			o->bound);
		break;
	case SEARCH_DFS:
		fputs("every schedule", out);
		break;
	case SEARCH_DPOR:
		fputs("every order of conflicting events", out);
		break;
	}
}

/* Code whose accesses nobody saw. */
static void print_unseen(const struct explore_result *e, FILE *out)
{
	const char *between = "  not seen: accesses inside of ";

	for (size_t i = 0; i < e->modules.count; i++) {
		if (!word_is_invisible(&e->modules.at[i]))
			continue;
		fprintf(out, "%s%s", between, word_file(e->modules.at[i].path));
		between = ", ";
	}
	if (*between == ',')
		putc('\n', out);
}

static void print_complete(const struct explore_report *r, FILE *out)
{
	fputs("complete: ", out);
	print_scope(r, out);
	fputs(" was run", out);
	if (r->options->search == SEARCH_MCM && r->options->no_deadlocks)
		fputs(" (deadlocks were not asked for)", out);
	if (r->options->ask.flags & CONTROL_SYNC)
		fputs(" (threads changed at synchronisation alone, and no run "
		      "had a race)",
		      out);
}

static bool is_stopped_by_failure(const struct explore_report *r)
{
	const struct campaign_result *c = &r->result->campaign;

	return !r->options->all_failures && c->failures.count &&
	       c->failures.at[c->failures.count - 1].verdict.status ==
		       EXIT_BROKEN;
}

static void print_left(const struct explore_report *r, FILE *out)
{
	const struct explore_result *e = r->result;
	bool is_mcm = r->options->search == SEARCH_MCM;

	if (e->campaign.stopped_by)
		fprintf(out, "interrupted by SIG%s",
			sigabbrev_np(e->campaign.stopped_by));
	else if (is_stopped_by_failure(r))
		fputs("stopped at this failure", out);
	else if (!e->left)
		fputs("not complete", out);
	else
		fputs("budget spent", out);
	if (!e->left)
		return;
	fputs(", ", out);
	if (is_mcm)
		word_count(e->left, "run", "runs", out);
	else
		word_count(e->left, "schedule", "schedules", out);
	fputs(is_mcm ? " not asked about" : " known and not run", out);
}

static void print_why(const struct explore_result *e, FILE *out)
{
	for (size_t i = 0; i < e->why.count; i++)
		fprintf(out, "  because: %s\n", e->why.at[i]);
}

static void print_unused(const struct explore_report *r, FILE *out)
{
	if (!r->options->skip_unused)
		return;
	fputs("  left out: ", out);
	word_count(r->result->unused, "read", "reads", out);
	fputs(" whose value nobody uses (--skip-unused-reads)\n", out);
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static double quantile(const struct explore_result *e, double q)
{
	size_t n = e->query_ms.count;
	float *sorted;
	double value;

	if (!n)
		return 0;
	sorted = xmalloc(n * sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = e->query_ms.at[i];
	qsort(sorted, n, sizeof(*sorted), by_size);
	value = (double)sorted[(size_t)((double)(n - 1) * q)];
	free(sorted);
	return value;
}

static void print_costs(const struct explore_report *r, FILE *out)
{
	const struct explore_result *e = r->result;

	if (!r->shows_costs)
		return;
	fprintf(out,
		"  runs: %" PRIu64 " in all, %" PRIu64 " classes, %" PRIu64
		" diverged, %" PRIu64 " restarts, up to %" PRIu64
		" events, %.0f a second\n",
		e->all_runs, e->classes, e->diverged, e->restarts, e->events,
		(double)e->runs / (e->campaign.seconds + 1e-9));
	if (r->options->search == SEARCH_MCM)
		fprintf(out,
			"  questions: %" PRIu64 " (%" PRIu64
			" yes), %.2f s in all, median %.3f ms, 95 %% below "
			"%.3f ms\n",
			e->asked, e->yes, e->solver_seconds, quantile(e, 0.5),
			quantile(e, 0.95));
}

/* ---- schedules ---- */

static uint64_t number_of(const struct explore_result *e, uint64_t run)
{
	return run + 1 - (run >= e->before ? e->before : 0);
}

static void print_strays(const struct explore_result *e, FILE *out)
{
	for (size_t i = 0; i < e->strays.count; i++) {
		const struct explore_stray *s = &e->strays.at[i];

		fprintf(out, "  diverged: schedule %" PRIu64,
			number_of(e, s->run));
		if (s->place)
			fprintf(out, ", at %s", word_file(s->place));
		putc('\n', out);
	}
	if (e->diverged > e->strays.count)
		fprintf(out, "  diverged: %" PRIu64 " more\n",
			e->diverged - e->strays.count);
}

/* ---- predictions ---- */

/* Checks are many, and most of them hold. */
static bool is_told(const struct prediction *p)
{
	return p->kind != PREDICTED_CHECK || p->state == PREDICTION_CONFIRMED;
}

static void print_places(const struct prediction *p, FILE *out)
{
	static const char *const words[][2] = {
		[PREDICTED_RACE] = { "", " and " },
		[PREDICTED_NULL] = { "read at ", ", used at " },
		[PREDICTED_FREED] = { "used at ", ", freed at " },
		[PREDICTED_CHECK] = { "read at ", "" },
		[PREDICTED_DEADLOCK] = { "", "" },
	};

	for (int i = 0; i < 2; i++)
		if (p->places[i])
			fprintf(out, "%s%s%s", i ? "" : ", ", words[p->kind][i],
				word_file(p->places[i]));
}

static void print_prediction(const struct explore_result *e,
			     const struct prediction *p, FILE *out)
{
	fprintf(out, "  predicted: %s", prediction_text(p->kind));
	print_places(p, out);
	fprintf(out, ", from schedule %" PRIu64 ": %s", number_of(e, p->from),
		prediction_state_text(p->state));
	if (p->state != PREDICTION_OPEN)
		fprintf(out, " by schedule %" PRIu64, number_of(e, p->by));
	putc('\n', out);
}

static void print_predictions(const struct explore_result *e, FILE *out)
{
	enum { LINES_MOST = 20 };
	const struct predictions *all = &e->predicted;
	size_t lines = 0;

	if (!all->count)
		return;
	for (size_t i = 0; i < all->count; i++)
		if (is_told(&all->at[i]) && lines++ < LINES_MOST)
			print_prediction(e, &all->at[i], out);
	fputs("  ", out);
	word_count(all->count, "prediction", "predictions", out);
	fprintf(out, ": %zu confirmed, %zu refuted, %zu not confirmed\n",
		predictions_count(all, PREDICTION_CONFIRMED),
		predictions_count(all, PREDICTION_REFUTED),
		predictions_count(all, PREDICTION_OPEN));
}

/* ---- all of it ---- */

static void print_statement(const struct explore_report *r, FILE *out)
{
	const struct explore_result *e = r->result;
	enum exit_status status = explore_status(e);

	fprintf(out, "%s: ", verdict_text(status));
	if (e->is_complete)
		print_complete(r, out);
	else
		print_left(r, out);
	fputs("        ", out);
	word_count(e->runs, "schedule", "schedules", out);
	if (r->options->search == SEARCH_MCM && e->classes != e->runs) {
		fputs(" (", out);
		word_count(e->classes, "class", "classes", out);
		putc(')', out);
	}
	fprintf(out, ", %.*f s, %s\n", e->campaign.seconds < 1 ? 2 : 1,
		e->campaign.seconds, explore_search_name(r->options->search));
	print_why(e, out);
	print_strays(e, out);
	if (e->is_complete)
		fputs("  holds for: sequential consistency, code with hooks\n",
		      out);
	print_unused(r, out);
	print_unseen(e, out);
	print_predictions(e, out);
}

static struct campaign_report campaign_of(const struct explore_report *r)
{
	return (struct campaign_report){
		.result = &r->result->campaign,
		.argv = r->options->argv,
		.strategy = explore_search_name(r->options->search),
		.names = r->names,
		.store = r->store,
		.shows_output = true,
		.before = r->result->before,
	};
}

void report_explore_text(const struct explore_report *r, FILE *out)
{
	const struct campaign_result *c = &r->result->campaign;
	const struct campaign_report campaign = campaign_of(r);

	for (size_t i = 0; i < c->failures.count; i++)
		report_campaign_failure(&campaign, i, out);
	for (size_t i = 0; i < c->notes.count && !c->failures.count; i++)
		fprintf(out, "note: %s\n", c->notes.at[i]);
	print_statement(r, out);
	print_costs(r, out);
}

/* ---- JSON ---- */

static void set(json_t *j, const char *name, uint64_t n)
{
	json_object_set_new(j, name, json_integer((json_int_t)n));
}

static json_t *texts(char *const *at, size_t count)
{
	json_t *j = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(j, clean_json(at[i]));
	return j;
}

static json_t *questions(const struct explore_result *e)
{
	json_t *j = json_object();

	set(j, "asked", e->asked);
	set(j, "yes", e->yes);
	set(j, "unknown", e->unknown);
	json_object_set_new(j, "seconds", json_real(e->solver_seconds));
	json_object_set_new(j, "median_ms", json_real(quantile(e, 0.5)));
	json_object_set_new(j, "p95_ms", json_real(quantile(e, 0.95)));
	return j;
}

static json_t *predictions(const struct explore_result *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->predicted.count; i++) {
		const struct prediction *p = &e->predicted.at[i];
		json_t *j = json_object(), *places = json_array();

		for (int k = 0; k < 2; k++)
			if (p->places[k])
				json_array_append_new(places,
						      clean_json(p->places[k]));
		json_object_set_new(j, "kind",
				    json_string(prediction_text(p->kind)));
		json_object_set_new(j, "places", places);
		set(j, "from", number_of(e, p->from));
		json_object_set_new(
			j, "state",
			json_string(prediction_state_text(p->state)));
		if (p->state != PREDICTION_OPEN)
			set(j, "by", number_of(e, p->by));
		set(j, "runs", p->runs);
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *strays(const struct explore_result *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->strays.count; i++) {
		const struct explore_stray *s = &e->strays.at[i];
		json_t *j = json_object();

		set(j, "schedule", number_of(e, s->run));
		if (s->place)
			json_object_set_new(j, "place", clean_json(s->place));
		json_array_append_new(all, j);
	}
	return all;
}

void report_explore_json(const struct explore_report *r, FILE *out)
{
	const struct explore_result *e = r->result;
	const struct campaign_result *c = &e->campaign;
	json_t *j = json_object(), *all = json_array();
	size_t argc = 0;
	char *line;

	while (r->options->argv[argc])
		argc++;
	for (size_t i = 0; i < c->failures.count; i++)
		json_array_append_new(
			all, report_campaign_failure_json(&c->failures.at[i],
							  r->names[i]));
	json_object_set_new(j, "format", json_string("heddle-explore"));
	set(j, "version", 1);
	json_object_set_new(j, "verdict",
			    json_string(verdict_text(explore_status(e))));
	json_object_set_new(j, "complete", json_boolean(e->is_complete));
	json_object_set_new(j, "command", texts(r->options->argv, argc));
	json_object_set_new(
		j, "search",
		json_string(explore_search_name(r->options->search)));
	if (r->options->search == SEARCH_CHESS)
		set(j, "bound", r->options->bound);
	set(j, "schedules", e->runs);
	set(j, "runs", e->all_runs);
	set(j, "classes", e->classes);
	set(j, "left", e->left);
	set(j, "diverged", e->diverged);
	json_object_set_new(j, "strays", strays(e));
	set(j, "restarts", e->restarts);
	set(j, "events", e->events);
	if (r->options->skip_unused)
		set(j, "unused_reads", e->unused);
	json_object_set_new(j, "seconds", json_real(c->seconds));
	json_object_set_new(j, "questions", questions(e));
	json_object_set_new(j, "predicted", predictions(e));
	json_object_set_new(j, "why", texts(e->why.at, e->why.count));
	json_object_set_new(j, "notes", texts(c->notes.at, c->notes.count));
	json_object_set_new(j, "failures", all);
	line = json_dumps(j, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fprintf(out, "%s\n", line);
	free(line);
	json_decref(j);
}

char *report_explore_news(const struct explore_news *n)
{
	double rate = n->seconds > 0 ? (double)n->runs / n->seconds : 0;

	return xasprintf("%" PRIu64 " runs, %.0f/s, %" PRIu64
			 " classes, %" PRIu64 " left, solver %.1f s, %" PRIu64
			 " %s",
			 n->runs, rate, n->classes, n->left, n->solver_seconds,
			 n->failures,
			 n->failures == 1 ? "failure" : "failures");
}
