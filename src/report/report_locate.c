/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_locate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/sarif.h"

/* Where it goes, and how wide that is; 0: lines may be long. */
struct sheet {
	FILE *out;
	size_t width;
};

/* Words, indented, on as many lines as they need. */
static void print_folded(const struct sheet *s, size_t indent, const char *text)
{
	size_t column = indent;

	fprintf(s->out, "%*s", (int)indent, "");
	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > indent) {
			bool is_full = s->width &&
				       column + 1 + length > s->width;

			fprintf(s->out, is_full ? "\n%*s" : " ", (int)indent,
				"");
			column = is_full ? indent : column + 1;
		}
		fprintf(s->out, "%.*s", (int)length, text);
		column += length;
		text += length + (text[length] == ' ');
	}
	putc('\n', s->out);
}

static void print_folded_free(const struct sheet *s, size_t indent, char *text)
{
	print_folded(s, indent, text);
	free(text);
}

static void print_access(const struct sheet *s, const struct located_access *a)
{
	fprintf(s->out, "     %-6s  %s, %s\n", a->kind, a->thread, a->where);
	if (a->source)
		print_folded(s, 13, a->source);
}

static const char *before_text(bool is_missing, bool is_apart)
{
	if (is_missing)
		return "   before (which the failing run did not reach)\n";
	return is_apart ? "   before\n" : "   right before\n";
}

static void print_tail(const struct sheet *s, const struct located_access *a,
		       bool is_missing, bool is_apart)
{
	fputs(before_text(is_missing, is_apart), s->out);
	print_access(s, a);
}

static void print_pair(const struct sheet *s, const struct located_pair *p,
		       bool is_missing, bool is_apart)
{
	fprintf(s->out, "   on %s\n", p->variable);
	print_access(s, &p->head);
	print_tail(s, &p->tail, is_missing, is_apart);
}

static bool is_same_access(const struct located_access *a,
			   const struct located_access *b)
{
	return strcmp(a->thread, b->thread) == 0 &&
	       strcmp(a->where, b->where) == 0 && a->kind == b->kind;
}

/* Three accesses, the middle one of which both pairs have, are told once. */
static void print_cycle(const struct sheet *sheet,
			const struct located_suspect *s)
{
	const struct located_pair *p = &s->pairs[0], *back = &s->other;

	if (s->count == 1 && s->has_other &&
	    strcmp(p->variable, back->variable) == 0) {
		if (is_same_access(&p->tail, &back->head)) {
			print_pair(sheet, p, s->is_missing, s->is_apart);
			print_tail(sheet, &back->tail, s->is_other_missing,
				   true);
			return;
		}
		if (is_same_access(&back->tail, &p->head)) {
			print_pair(sheet, back, s->is_other_missing, true);
			print_tail(sheet, &p->tail, s->is_missing, s->is_apart);
			return;
		}
	}
	for (uint32_t i = 0; i < s->count; i++) {
		if (i)
			fputs("   and, in the same run,\n", sheet->out);
		print_pair(sheet, &s->pairs[i], s->is_missing, s->is_apart);
	}
	if (s->has_other) {
		fputs("   and back\n", sheet->out);
		print_pair(sheet, back, s->is_other_missing, true);
	}
}

/* Why it is this kind of bug. */
static const char *trials_text(const struct located_suspect *s)
{
	if (!s->trials)
		return "";
	return s->kind == BUG_ORDER ?
		       "; no parts of these threads hold in either order" :
		       "; with these accesses of the one thread all before "
		       "those of the other it holds, either way";
}

static void print_experiment(const struct sheet *sheet,
			     const struct located_suspect *s)
{
	const struct confirmation *c = &s->confirmation;

	if (!c->was_tried)
		return;
	if (!c->reversal_possible)
		print_folded(sheet, 3,
			     "experiment: the other order could not be had");
	else if (!c->reversal_holds)
		print_folded(sheet, 3,
			     "experiment: it fails in the other order too");
	else if (!c->enforced)
		print_folded(sheet, 3,
			     "experiment: in the other order it holds; no "
			     "passing schedule allows this one");
	else
		print_folded_free(
			sheet, 3,
			xasprintf("experiment: in the other order it holds; "
				  "this order in passing schedules: %u of %u "
				  "fail alike%s",
				  c->failed, c->enforced, trials_text(s)));
}

static void print_suspect(const struct sheet *sheet, const struct located *l,
			  size_t n)
{
	const struct located_suspect *s = &l->suspects.at[n];
	FILE *out = sheet->out;

	fprintf(out, "\n%zu. %s", n + 1, s->is_confirmed ? "confirmed: " : "");
	fputs(bug_kind_text(s->kind), out);
	if (s->row)
		fprintf(out, " (LOCON's row %d)", s->row);
	if (l->procedure == PROCEDURE_FALCON)
		fprintf(out, ", suspiciousness %.3f", s->score);
	putc('\n', out);
	print_folded(sheet, 3, s->sentence);
	print_cycle(sheet, s);
	print_experiment(sheet, s);
}

static void print_switch(const struct sheet *sheet,
			 const struct located_switch *s)
{
	const char *mark = s->agrees ? " <- brings it about" : "";

	if (!s->is_choice)
		print_folded_free(sheet, 3,
				  xasprintf("%s stops before %s, %s goes on%s",
					    s->thread, s->where, s->to, mark));
	else if (*s->where)
		print_folded_free(sheet, 3,
				  xasprintf("%s waits at %s, %s goes on%s",
					    s->thread, s->where, s->to, mark));
	else
		print_folded_free(sheet, 3,
				  xasprintf("%s ends, %s goes on%s", s->thread,
					    s->to, mark));
}

static void print_switches(const struct sheet *sheet, const struct located *l)
{
	bool agrees = false;

	if (!l->switches.count)
		return;
	fputs(l->switches.at[0].is_choice ?
		      "\nthe shrunk schedule takes nobody's turn; it is who goes "
		      "on that matters\n" :
		      "\nswitches that the shrunk schedule needs\n",
	      sheet->out);
	for (size_t i = 0; i < l->switches.count; i++) {
		print_switch(sheet, &l->switches.at[i]);
		agrees |= l->switches.at[i].agrees;
	}
	if (!agrees && l->suspects.count)
		fputs("   none of them brings the first suspect about\n",
		      sheet->out);
}

static char *attempts_text(const struct located *l)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fputs("procedures: ", out);
	for (size_t i = 0; i < l->attempts.count; i++) {
		const struct located_attempt *a = &l->attempts.at[i];

		fprintf(out, "%s%s", i ? "; " : "",
			procedure_text(a->procedure));
		if (a->procedure != PROCEDURE_FALCON)
			fprintf(out, " (%s%s)", level_text(a->level),
				a->calm ? ", calm runs" : "");
		fprintf(out, " %zu", a->suspects);
		if (a->tried)
			fprintf(out, ", %zu of %zu tried confirmed",
				a->confirmed, a->tried);
	}
	fclose(out);
	return text;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void print_runs(const struct sheet *sheet, const struct located *l)
{
	char *free_ones = l->native + l->delayed ?
				  xasprintf(" (%zu free, %zu with random "
					    "delays)",
					    l->native, l->delayed) :
				  xstrdup("");

	putc('\n', sheet->out);
	print_folded_free(
		sheet, 0,
		xasprintf("compared: 1 failing run and %zu passing one%s%s; "
			  "%zu pair%s in the failing run, %zu in all%s",
			  l->passing, plural(l->passing), free_ones,
			  l->failing_pairs, plural(l->failing_pairs),
			  l->all_pairs,
			  l->is_saturated ? "; the last dozen runs brought no "
					    "new one" :
					    ""));
	free(free_ones);
	if (l->lost)
		print_folded_free(
			sheet, 0,
			xasprintf("%llu pairs of the failing run had no room "
				  "and are missing",
				  (unsigned long long)l->lost));
	print_folded_free(sheet, 0, attempts_text(l));
}

static void print_rest(const struct sheet *sheet, const struct located *l)
{
	size_t told = l->suspects.count + l->folded + l->weaker;

	if (l->folded)
		fprintf(sheet->out,
			"\n%zu more confirmed, of the same interleaving%s\n",
			l->folded, plural(l->suspects.count));
	if (l->weaker)
		fprintf(sheet->out,
			"\n%zu more confirmed, but the failure comes back only "
			"now and then\n",
			l->weaker);
	if (l->suspect_count > told)
		fprintf(sheet->out, "\n%zu more suspect%s %s\n",
			l->suspect_count - told,
			plural(l->suspect_count - told),
			l->is_confirmed ? "of the procedure, not confirmed" :
					  "(--most)");
}

void report_locate_text(const struct located *l, size_t width, FILE *out)
{
	const struct sheet sheet = { .out = out, .width = width };
	char *failure = xasprintf("%s%s%s", l->name ? l->name : "",
				  l->name ? ": " : "", l->failure);

	print_folded_free(&sheet, 0, failure);
	if (!l->suspects.count)
		fputs("no procedure has a suspect\n", out);
	else if (l->has_experiments && !l->is_confirmed)
		print_folded(
			&sheet, 0,
			"no suspect was confirmed by experiment; these are "
			"to be doubted");
	if (l->stopped_by)
		print_folded_free(&sheet, 0,
				  xasprintf("interrupted by SIG%s; this is "
					    "what was found until then",
					    sigabbrev_np(l->stopped_by)));
	if (l->is_by_rules && l->suspects.count)
		print_folded(&sheet, 0,
			     "suspects are not tried out: it is kept by rules, "
			     "and has no schedule to try them in");
	for (size_t i = 0; i < l->suspects.count; i++)
		print_suspect(&sheet, l, i);
	print_rest(&sheet, l);
	print_switches(&sheet, l);
	print_runs(&sheet, l);
}

/* ---- SARIF ---- */

enum { RELATED_MOST = 5 };

/* A place, and what it is there for; the message is the caller's. */
static struct sarif_place place_of(const struct located_access *a,
				   const char *variable)
{
	return (struct sarif_place){ .file = a->file,
				     .line = a->line,
				     .function = a->function,
				     .message = xasprintf("%s of %s, %s",
							  a->kind, variable,
							  a->thread) };
}

static size_t places_of(const struct located_suspect *s,
			struct sarif_place *related)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct located_pair *p = &s->pairs[i];

		if (i)
			related[n++] = place_of(&p->head, p->variable);
		related[n++] = place_of(&p->tail, p->variable);
	}
	if (s->has_other) {
		const struct located_pair *p = &s->other;

		if (!is_same_access(&p->head, &s->pairs[0].tail))
			related[n++] = place_of(&p->head, p->variable);
		related[n++] = place_of(&p->tail, p->variable);
	}
	return n;
}

static struct sarif_result result_of(const struct located *l,
				     const struct located_suspect *s,
				     struct sarif_place *related)
{
	static const char *const rules[] = {
		[BUG_ORDER] = "order-violation",
		[BUG_SINGLE] = "atomicity-violation",
		[BUG_MULTI] = "atomicity-violation",
	};

	return (struct sarif_result){
		.rule = rules[s->kind],
		.level = s->is_confirmed ? "error" : "warning",
		.message = s->sentence,
		.fingerprint = s->sentence,
		.name = l->name,
		.place = place_of(&s->pairs[0].head, s->pairs[0].variable),
		.related = related,
		.related_count = places_of(s, related)
	};
}

static void result_done(struct sarif_result *r)
{
	free((void *)(uintptr_t)r->place.message);
	for (size_t i = 0; i < r->related_count; i++)
		free((void *)(uintptr_t)r->related[i].message);
}

void report_locate_sarif(const struct located *l, FILE *out)
{
	size_t count = l->suspects.count;
	struct sarif_result *results = xcalloc(count + 1, sizeof(*results));
	struct sarif_place(*related)[RELATED_MOST] =
		xcalloc(count + 1, sizeof(*related));
	char *root = getcwd(NULL, 0);

	for (size_t i = 0; i < count; i++)
		results[i] = result_of(l, &l->suspects.at[i], related[i]);
	sarif_write(&(struct sarif_log){ .root = root,
					 .results = results,
					 .count = count },
		    out);
	for (size_t i = 0; i < count; i++)
		result_done(&results[i]);
	free(root);
	free(results);
	free(related);
}
