/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_regress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/junit.h"
#include "report/wording.h"

enum exit_status report_regress_status(const struct regress_report *r)
{
	enum exit_status status = EXIT_HELD;

	for (size_t i = 0; i < r->count; i++) {
		enum exit_status one = regress_status(&r->results[i]);

		if (one == EXIT_BROKEN)
			return EXIT_BROKEN;
		if (one != EXIT_HELD && status != EXIT_FAILED)
			status = one;
	}
	return status;
}

/* ---- the verdict ---- */

static bool is_broken(const struct regress_result *r)
{
	return regress_status(r) == EXIT_BROKEN;
}

static void print_verdict(const struct regress_result *r, FILE *out)
{
	size_t runs = r->iterations.count;

	fputs(regress_verdict_text(r->verdict), out);
	if (is_broken(r)) {
		fprintf(out, " (%s)", regress_sure_text(r->sure));
		return;
	}
	if (r->verdict != REGRESS_NOT_TRIGGERED)
		return;
	fputs(" in ", out);
	word_count(runs, "run", "runs", out);
}

/* Of the signature that came furthest. */
static uint32_t events_found(const struct regress_result *r)
{
	uint32_t found = 0;

	for (uint32_t k = 0; k < r->signatures.all.at[r->signature].count; k++)
		found += r->matches[k].is_found;
	return found;
}

static bool is_maple(const struct regress_result *r)
{
	return r->method == REGRESS_MAPLE;
}

/* Of the interleavings of a profile, how many were tried, and came about. */
static void print_tried(const struct regress_result *r, FILE *out)
{
	size_t tried = 0, came = 0;

	for (uint32_t n = 0; n < r->signatures.all.count; n++) {
		bool was_tried = false, has_come = false;

		for (size_t i = 0; i < r->iterations.count; i++) {
			const struct regress_iteration *it =
				&r->iterations.at[i];

			if (it->kind != ITERATION_HUNT || it->signature != n)
				continue;
			was_tried = true;
			has_come |= it->reached == it->count;
		}
		tried += was_tried;
		came += has_come;
	}
	fprintf(out,
		"%zu of the profile's %zu interleavings were tried, %zu came "
		"about",
		tried, (size_t)r->signatures.all.count, came);
}

static void print_matched(const struct regress_result *r, FILE *out)
{
	uint32_t found, count;

	if (!r->signatures.all.count || is_broken(r))
		return;
	if (is_maple(r)) {
		fputs("  ", out);
		print_tried(r, out);
		fputs(", and nothing broke\n", out);
		return;
	}
	count = r->signatures.all.at[r->signature].count;
	found = events_found(r);
	fprintf(out, "  of the signature's %" PRIu32 " events ", count);
	if (found == count)
		fputs("all came in their order, and nothing broke\n", out);
	else if (found)
		fprintf(out, "%" PRIu32 " came in order at best\n", found);
	else
		fputs("none was met\n", out);
}

/* ---- the signature ---- */

/* Threads and objects of a signature have no names of their own. */
static void print_event(const struct signature_event *e, FILE *out)
{
	fprintf(out, "  thread %c  %-6s ", (int)('A' + e->thread),
		operation_text(e));
	if (*e->variable)
		fprintf(out, "%s  ", e->variable);
	else if (e->object < HUNT_EVENTS)
		fprintf(out, "object %" PRIu32 "  ", e->object + 1);
	fprintf(out, "%s", e->function);
	if (*e->file)
		fprintf(out, " %s:%" PRIu32, e->file, e->line);
	if (*e->source)
		fprintf(out, "  %s", e->source);
	putc('\n', out);
}

static void print_bytes(uint64_t n, const char *where, FILE *out)
{
	if (n == 0)
		fprintf(out, "same offset %s", where);
	else
		fprintf(out, "%" PRIu64 " bytes off %s", n, where);
}

static void print_why(const struct regress_match *m, FILE *out)
{
	const struct similarity *s = &m->similarity;
	const char *comma = "";

	fputs("             because: ", out);
	if (s->by & SIMILAR_TEXT)
		fputs("same text in the same function", out), comma = ", ";
	if (s->by & SIMILAR_MOVED)
		fputs("same text in another function", out), comma = ", ";
	if (!(s->by & SIMILAR_TEXT) && s->by & SIMILAR_NAMED) {
		fputs(comma, out), comma = ", ";
		fputs("in the function of the same name", out);
	}
	if (s->by & SIMILAR_FUNCTION) {
		fputs(comma, out), comma = ", ";
		print_bytes(s->function_offset, "in the function", out);
	}
	if (s->by & SIMILAR_OFFSET) {
		fputs(comma, out), comma = ", ";
		print_bytes(s->offset, "in the file", out);
	}
	if (m->distance)
		fprintf(out, "%s%" PRIu32 " calls of the stack differ", comma,
			m->distance);
	else
		fprintf(out, "%ssame call stack", comma);
	putc('\n', out);
}

static void print_events(const struct regress_result *r, bool explains,
			 FILE *out)
{
	const struct signature *s = &r->signatures.all.at[r->signature];

	for (uint32_t k = 0; k < s->count; k++) {
		const struct regress_match *m = &r->matches[k];

		print_event(&s->events[k], out);
		if (!m->is_found || !m->where) {
			fputs("          -> not met in this order\n", out);
			continue;
		}
		fprintf(out, "          -> thread %" PRIu32 ", %s", m->thread,
			m->where);
		if (m->source && *m->source)
			fprintf(out, "  %s", m->source);
		putc('\n', out);
		/* Maple's are of this very build. */
		if (explains && !is_maple(r))
			print_why(m, out);
	}
}

/* ---- the pairs ---- */

static void print_access(const char *words, const struct blamed_access *a,
			 FILE *out)
{
	fprintf(out, "    %-7s %-6s %s", words, a->kind, a->where);
	if (*a->source)
		fprintf(out, "  %s", a->source);
	putc('\n', out);
}

static void print_pairs(const char *when, const struct blamed *b, size_t first,
			FILE *out)
{
	for (size_t i = 0; i < b->all.count; i++) {
		const struct blamed_pair *p = &b->all.at[i];

		fprintf(out, "  %s, on %s%s\n", when, p->variable,
			i == first && b->all.count > 1 ? " (compared)" : "");
		print_access("", &p->head, out);
		print_access("before", &p->tail, out);
	}
}

/* ---- the search ---- */

static void print_iteration(const struct regress_result *r, size_t n, FILE *out)
{
	const struct regress_iteration *it = &r->iterations.at[n];

	fprintf(out, "  run %zu: ", n + 1);
	if (it->kind == ITERATION_REPLAY)
		fputs(r->is_by_rules ? "the kept rules" : "the kept schedule",
		      out);
	else if (it->kind == ITERATION_PROFILE)
		fputs("profile", out);
	else if (is_maple(r))
		fprintf(out,
			"controlled, interleaving %" PRIu32 "; %" PRIu32
			" of %" PRIu32 " events",
			it->signature + 1, it->reached, it->count);
	else {
		fprintf(out, "%s, signature %" PRIu32 ", w=",
			it->kind == ITERATION_PERTURB ? "perturbed" :
							"controlled",
			it->signature + 1);
		for (uint32_t k = 0; k < it->count; k++)
			fprintf(out, "%s%" PRIu32, k ? "," : "",
				it->set.widths[k].w);
		fputs(" d=", out);
		for (uint32_t k = 0; k < it->count; k++)
			fprintf(out, "%s%" PRIu32, k ? "," : "",
				it->set.widths[k].d);
		fprintf(out, "; %" PRIu32 " of %" PRIu32 " events", it->reached,
			it->count);
		if (it->reached == it->count)
			fputs(", s-match", out);
	}
	fputs(it->broke ? "; broke\n" : "\n", out);
}

/* Runs that were alike are told once. */
static bool is_like(const struct regress_iteration *a,
		    const struct regress_iteration *b)
{
	return a->kind == b->kind && a->signature == b->signature &&
	       a->reached == b->reached && a->broke == b->broke &&
	       memcmp(a->set.widths, b->set.widths, sizeof(a->set.widths)) == 0;
}

static void print_search(const struct regress_result *r, FILE *out)
{
	enum { SHOWN = 24 };
	size_t shown = 0;

	fputs("the search\n", out);
	for (size_t i = 0; i < r->iterations.count; i++) {
		const struct regress_iteration *it = &r->iterations.at[i];
		bool is_last = i + 1 == r->iterations.count;

		if (i && !is_last && is_like(it, it - 1))
			continue;
		if (shown++ < SHOWN || is_last)
			print_iteration(r, i, out);
		else if (shown == SHOWN + 1)
			fputs("  ...\n", out);
	}
}

/* ---- text ---- */

static void print_replay(const struct regress_report *report,
			 const struct regress_result *r, FILE *out)
{
	fputs("see it again: heddle replay ", out);
	if (report->store)
		fprintf(out, "--store %s ", report->store);
	fprintf(out, "%s\n", r->kept ? r->kept : r->name);
}

static void print_one(const struct regress_report *report,
		      const struct regress_result *r, FILE *out)
{
	fprintf(out, "%s: %s\n", r->name, r->was ? r->was : "?");
	if (r->is_same_build)
		fputs("  the build is the one that failed\n", out);
	print_verdict(r, out);
	putc('\n', out);
	if (r->why)
		fprintf(out, "  %s\n", r->why);
	print_matched(r, out);
	if (r->text)
		fprintf(out, "  run %zu: %s\n", r->iterations.count, r->text);
	if (report->explains && r->details)
		fputs(r->details, out);
	if (r->signatures.all.count && (is_broken(r) || report->explains)) {
		fputs(is_maple(r) ? "the interleaving that came furthest\n" :
				    "the signature, and what was found like "
				    "it\n",
		      out);
		print_events(r, report->explains, out);
	}
	if (report->explains && r->same.now.all.count) {
		fputs("the accesses that cause it, by experiment\n", out);
		print_pairs("then", &r->same.was, r->same.was_at, out);
		print_pairs("now", &r->same.now, r->same.now_at, out);
	}
	if (report->explains)
		print_search(r, out);
	/* What was not kept cannot be seen again by its name. */
	if (is_broken(r) && (r->kept || r->is_same_build))
		print_replay(report, r, out);
}

static int width_of(const struct regress_report *r)
{
	size_t width = 5;

	for (size_t i = 0; i < r->count; i++)
		if (strlen(r->results[i].name) > width)
			width = strlen(r->results[i].name);
	return (int)width;
}

/* What broke and where it is kept; else how far the search came. */
static void print_outcome(const struct regress_result *r, FILE *out)
{
	if (r->text)
		fputs(r->text, out);
	else if (r->verdict == REGRESS_NOT_TRIGGERED &&
		 r->signatures.all.count && is_maple(r))
		print_tried(r, out);
	else if (r->verdict == REGRESS_NOT_TRIGGERED && r->signatures.all.count)
		fprintf(out, "%" PRIu32 " of %" PRIu32 " events in order",
			events_found(r),
			r->signatures.all.at[r->signature].count);
	else
		fputs(r->why ? r->why : "-", out);
	if (r->kept)
		fprintf(out, "; kept as %s", r->kept);
}

static void print_table(const struct regress_report *r, FILE *out)
{
	int width = width_of(r);

	fprintf(out, "%-*s  %-22s  %-8s  %5s  %s\n", width, "repro", "verdict",
		"sure", "runs", "what came of it");
	for (size_t i = 0; i < r->count; i++) {
		const struct regress_result *one = &r->results[i];

		fprintf(out, "%-*s  %-22s  %-8s  %5zu  ", width, one->name,
			regress_verdict_text(one->verdict),
			is_broken(one) ? regress_sure_text(one->sure) : "-",
			one->iterations.count);
		print_outcome(one, out);
		putc('\n', out);
	}
}

void report_regress_text(const struct regress_report *r, FILE *out)
{
	if (r->count == 1) {
		print_one(r, &r->results[0], out);
		return;
	}
	print_table(r, out);
	for (size_t i = 0; r->explains && i < r->count; i++) {
		putc('\n', out);
		print_one(r, &r->results[i], out);
	}
}

/* ---- JUnit ---- */

/* What broke, how sure it is that it is the same bug, and why. */
static char *message_of(const struct regress_result *r)
{
	if (!r->text)
		return r->why ? xstrdup(r->why) : NULL;
	return xasprintf("%s (%s: %s)", r->text, regress_sure_text(r->sure),
			 r->why);
}

void report_regress_junit(const struct regress_report *r, FILE *out)
{
	struct junit_case *cases = xcalloc(r->count + 1, sizeof(*cases));
	char **texts = xcalloc(r->count + 1, sizeof(*texts));
	char **messages = xcalloc(r->count + 1, sizeof(*messages));
	struct regress_report one = *r;

	one.count = 1;
	one.explains = true;
	for (size_t i = 0; i < r->count; i++) {
		size_t size;
		FILE *to = open_memstream(&texts[i], &size);

		messages[i] = message_of(&r->results[i]);
		one.results = &r->results[i];
		report_regress_text(&one, to);
		fclose(to);
		cases[i] = (struct junit_case){
			.name = r->results[i].name,
			.seconds = r->results[i].seconds,
			.status = regress_status(&r->results[i]),
			.kind = regress_verdict_text(r->results[i].verdict),
			.message = messages[i],
			.text = texts[i],
		};
	}
	junit_write(&(struct junit_suite){ .name = "heddle regress",
					   .cases = cases,
					   .count = r->count },
		    out);
	for (size_t i = 0; i < r->count; i++) {
		free(texts[i]);
		free(messages[i]);
	}
	free(texts);
	free(messages);
	free(cases);
}
