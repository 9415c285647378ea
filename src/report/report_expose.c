/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_expose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "report/report_unserial.h"
#include "report/wording.h"

static const char *kind_text(const struct expose_result *r,
			     const struct expose_candidate *c)
{
	switch (c->kind) {
	case EXPOSE_INTERLEAVING:
		return unserial_pattern_text(
			r->unserial->at[c->unserial].pattern);
	case EXPOSE_ORDER:
		return "order";
	case EXPOSE_WAKEUP:
		return "wakeup";
	default:
		return "locks";
	}
}

static size_t count_state(const struct expose_result *r, enum expose_state s)
{
	size_t n = 0;

	for (size_t i = 0; i < r->candidates.count; i++)
		n += r->candidates.at[i].state == s;
	return n;
}

/* ---- bugs ---- */

/* Two columns, one for each thread, time going down. */
static void print_interleaving(const struct expose_candidate *c, FILE *out)
{
	int width = 8;

	for (uint32_t i = 0; i < c->event_count; i++) {
		int n = (int)(strlen(c->events[i].place) +
			      strlen(c->events[i].what) + 2);

		if (c->events[i].side == 0 && n > width)
			width = n;
	}
	fprintf(out, "  %-*s  %s\n", width, "one thread", "another");
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct expose_event *e = &c->events[i];

		if (e->side == 0)
			fprintf(out, "  %s  %s\n", e->what, e->place);
		else
			fprintf(out, "  %*s  %s  %s\n", width, "", e->what,
				e->place);
	}
	fprintf(out, "  on %s\n", c->where);
}

static void print_bug(const struct expose_report *r, const struct expose_bug *b,
		      FILE *out)
{
	fprintf(out, "%s: %s\n", verdict_text(b->verdict.status),
		b->verdict.text);
	if (b->verdict.details && *b->verdict.details)
		fputs(b->verdict.details, out);
	if (b->candidate != SIZE_MAX) {
		const struct expose_candidate *c =
			&r->result->candidates.at[b->candidate];

		fprintf(out, "%s candidate %zu, %s:\n",
			b->is_forced ? "forced was" : "while forcing",
			b->candidate + 1, kind_text(r->result, c));
		print_interleaving(c, out);
	}
	fprintf(out, "after %.2f s, %s; replayed %" PRIu64 " of %" PRIu64 "\n",
		b->seconds,
		b->was_free ? "in a run on all processors" : "under control",
		b->again, b->times);
	if (b->name)
		fprintf(out, "see it again: heddle replay %s%s%s%s\n",
			r->store ? "--store " : "", r->store ? r->store : "",
			r->store ? " " : "", b->name);
}

/* ---- candidates ---- */

/* What it probably was that kept it from happening. */
static void print_keeper(const struct expose_result *r,
			 const struct expose_candidate *c, FILE *out)
{
	const struct unserial_candidate *f =
		c->kind == EXPOSE_INTERLEAVING ? &r->unserial->at[c->unserial] :
						 NULL;

	if (!c->tally.begun)
		fputs("; its first event did not come again", out);
	else if (f && f->keepers)
		report_keepers(f, "; probably kept apart by ", out);
	else if (f && f->c.gate)
		fputs("; C would have to wait before a critical section, and "
		      "what comes there is not always C",
		      out);
	else if (c->tally.late_us)
		fputs("; the other side came, but too late: probably it waits "
		      "for this one",
		      out);
	else
		fputs("; probably kept apart by synchronisation that leaves no "
		      "event, as a loop that reads plain memory, or a pipe",
		      out);
}

static void print_candidate(const struct expose_report *r, size_t n, FILE *out)
{
	const struct expose_candidate *c = &r->result->candidates.at[n];

	fprintf(out, "%4zu  %-6s", n + 1, kind_text(r->result, c));
	for (uint32_t i = 0; i < c->event_count; i++)
		fprintf(out, "%s %s", i ? ";" : "", c->events[i].place);
	fprintf(out, ", on %s: %s", c->where, expose_state_text(c->state));
	fprintf(out, " (%u of %u runs", c->tally.forced, c->tally.runs);
	if (c->tally.broken)
		fprintf(out, ", of which %u broke", c->tally.broken);
	if (c->state == EXPOSE_NOT_FORCED && c->tally.expired)
		fprintf(out, ", %u waits in vain", c->tally.expired);
	fputs(")", out);
	if (c->state == EXPOSE_NOT_FORCED)
		print_keeper(r->result, c, out);
	putc('\n', out);
}

static void print_candidates(const struct expose_report *r, FILE *out)
{
	for (size_t i = 0; i < r->result->candidates.count; i++)
		print_candidate(r, i, out);
}

static void print_space(const struct expose_report *r, FILE *out)
{
	const struct expose_result *e = r->result;
	struct unserial_report u = { .trace = e->trace,
				     .sites = e->sites,
				     .result = e->unserial };

	if (!e->unserial)
		return;
	if (r->explains)
		report_unserial(&u, out);
	else
		report_unserial_head(&u, out);
}

static void print_numbers(const struct expose_report *r, FILE *out)
{
	const struct expose_result *e = r->result;

	word_count(e->candidates.count, "candidate", "candidates", out);
	fprintf(out, ": %zu benign, %zu not forced, %zu untried; ",
		count_state(e, EXPOSE_BENIGN),
		count_state(e, EXPOSE_NOT_FORCED),
		count_state(e, EXPOSE_UNTRIED));
	word_count(e->runs, "run", "runs", out);
	fprintf(out, " (%" PRIu64 " free) in %.2f s\n", e->free_runs,
		e->seconds);
}

static void print_verdict(const struct expose_result *e, FILE *out)
{
	fprintf(out, "%s: ", verdict_text(expose_status(e)));
	if (e->observed_broken)
		fputs("the observed run, which could not be forced again", out);
	else if (e->stopped_by)
		fprintf(out,
			"interrupted by SIG%s after %" PRIu64
			" runs, in which nothing failed",
			sigabbrev_np(e->stopped_by), e->runs);
	else
		fputs(e->is_settled ? "no candidate did harm" :
				      "nothing failed before time was up",
		      out);
	putc('\n', out);
}

void report_expose_text(const struct expose_report *r, FILE *out)
{
	const struct expose_result *e = r->result;

	if (e->observed_broken)
		fprintf(out, "the observed run %s\n", e->observed_text);
	print_space(r, out);
	if (r->explains && e->candidates.count)
		print_candidates(r, out);
	for (size_t i = 0; i < e->bugs.count; i++)
		print_bug(r, &e->bugs.at[i], out);
	if (e->trace)
		print_numbers(r, out);
	report_coverage_text(e, out);
	if (!e->bugs.count)
		print_verdict(e, out);
}

char *report_expose_progress(const struct expose_news *n)
{
	double left = n->budget - n->seconds;

	return xasprintf("%zu candidates, %zu tried, %zu forced; %" PRIu64
			 " runs%s; %zu failures; %.0f s left",
			 n->candidates, n->tried, n->forced, n->runs,
			 n->is_free ? "" : " (controlled)", n->bugs,
			 left > 0 ? left : 0);
}
