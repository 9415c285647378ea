/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_locate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/sarif.h"

static void print_access(const struct located_access *a, FILE *out)
{
	fprintf(out, "     %-6s  %s, %s\n", a->kind, a->thread, a->where);
	if (a->source)
		fprintf(out, "             %s\n", a->source);
}

static void print_pair(const struct located_pair *p, bool is_missing, FILE *out)
{
	fprintf(out, "   on %s\n", p->variable);
	print_access(&p->head, out);
	fputs(is_missing ? "   before (which the failing run did not reach)\n" :
			   "   right before\n",
	      out);
	print_access(&p->tail, out);
}

static void print_experiment(const struct located_suspect *s, FILE *out)
{
	const struct confirmation *c = &s->confirmation;

	if (!c->was_tried)
		return;
	fputs("   experiment: ", out);
	if (!c->reversal_possible) {
		fputs("the other order could not be had\n", out);
		return;
	}
	if (!c->reversal_holds) {
		fputs("it fails in the other order too\n", out);
		return;
	}
	fputs("in the other order it holds; ", out);
	if (!c->enforced)
		fputs("no passing schedule allows this one\n", out);
	else
		fprintf(out,
			"this order in passing schedules: %u of %u fail "
			"alike\n",
			c->failed, c->enforced);
}

static void print_suspect(const struct located *l, size_t n, FILE *out)
{
	const struct located_suspect *s = &l->suspects.at[n];

	fprintf(out, "\n%zu. %s", n + 1, s->is_confirmed ? "confirmed: " : "");
	fputs(bug_kind_text(s->kind), out);
	if (s->row)
		fprintf(out, " (LOCON's row %d)", s->row);
	if (l->procedure == PROCEDURE_FALCON)
		fprintf(out, ", suspiciousness %.3f", s->score);
	fprintf(out, "\n   %s\n", s->sentence);
	for (uint32_t i = 0; i < s->count; i++) {
		if (i)
			fputs("   and, in the same run,\n", out);
		print_pair(&s->pairs[i], s->is_missing, out);
	}
	if (s->has_other) {
		fputs("   and back\n", out);
		print_pair(&s->other, false, out);
	}
	print_experiment(s, out);
}

static void print_switches(const struct located *l, FILE *out)
{
	bool agrees = false;

	if (!l->switches.count)
		return;
	fputs("\nswitches that the shrunk schedule needs\n", out);
	for (size_t i = 0; i < l->switches.count; i++) {
		const struct located_switch *s = &l->switches.at[i];

		fprintf(out, "   %s stops before %s, %s goes on%s\n", s->thread,
			s->where, s->to,
			s->agrees ? "   <- at these accesses" : "");
		agrees |= s->agrees;
	}
	if (!agrees)
		fputs("   none of them is at the accesses above\n", out);
}

static void print_attempts(const struct located *l, FILE *out)
{
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
	putc('\n', out);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void print_runs(const struct located *l, FILE *out)
{
	fprintf(out, "\ncompared: 1 failing run and %zu passing one%s",
		l->passing, plural(l->passing));
	if (l->native + l->delayed)
		fprintf(out, " (%zu free, %zu with random delays)", l->native,
			l->delayed);
	fprintf(out, "; %zu pairs in the failing run, %zu in all%s\n",
		l->failing_pairs, l->all_pairs,
		l->is_saturated ? "; the last dozen runs brought no new one" :
				  "");
	if (l->lost)
		fprintf(out,
			"%llu pairs of the failing run had no room and are "
			"missing\n",
			(unsigned long long)l->lost);
	print_attempts(l, out);
}

void report_locate_text(const struct located *l, FILE *out)
{
	size_t shown = l->suspects.count;

	if (l->name)
		fprintf(out, "%s: ", l->name);
	fprintf(out, "%s\n", l->failure);
	if (!shown)
		fputs("no procedure has a suspect\n", out);
	else if (l->has_experiments && !l->is_confirmed)
		fputs("no suspect was confirmed by experiment; these are to "
		      "be doubted\n",
		      out);
	for (size_t i = 0; i < shown; i++)
		print_suspect(l, i, out);
	if (l->folded)
		fprintf(out,
			"\n%zu more confirmed, of the same interleaving%s\n",
			l->folded, plural(shown));
	if (l->suspect_count > shown + l->folded)
		fprintf(out, "\n%zu more suspect%s %s\n",
			l->suspect_count - shown - l->folded,
			plural(l->suspect_count - shown - l->folded),
			l->is_confirmed ? "of the procedure, not confirmed" :
					  "(--most)");
	print_switches(l, out);
	print_runs(l, out);
}

/* ---- SARIF ---- */

static struct sarif_place place_of(const struct located_access *a)
{
	return (struct sarif_place){ .file = a->file,
				     .line = a->line,
				     .function = a->function,
				     .message = a->kind };
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
	size_t n = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (i)
			related[n++] = place_of(&s->pairs[i].head);
		related[n++] = place_of(&s->pairs[i].tail);
	}
	return (struct sarif_result){ .rule = rules[s->kind],
				      .level = s->is_confirmed ? "error" :
								 "warning",
				      .message = s->sentence,
				      .fingerprint = s->sentence,
				      .name = l->name,
				      .place = place_of(&s->pairs[0].head),
				      .related = related,
				      .related_count = n };
}

void report_locate_sarif(const struct located *l, FILE *out)
{
	size_t count = l->suspects.count;
	struct sarif_result *results = xcalloc(count + 1, sizeof(*results));
	struct sarif_place(*related)[3] = xcalloc(count + 1, sizeof(*related));
	char *root = getcwd(NULL, 0);

	for (size_t i = 0; i < count; i++)
		results[i] = result_of(l, &l->suspects.at[i], related[i]);
	sarif_write(&(struct sarif_log){ .root = root,
					 .results = results,
					 .count = count },
		    out);
	free(root);
	free(results);
	free(related);
}
