/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_repro.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "format/verdict.h"
#include "report/interleaving.h"
#include "store/repro.h"
#include "store/store.h"

enum {
	STRETCHES = 12,
	OUTPUT_LINES = 12,
	OUTPUT_COLUMNS = 400, /* of a line: there may be none in what it is */
};

bool show_repro_is(const char *store, const char *name)
{
	char *path = strchr(name, '/') ?
			     xasprintf("%s/repro", name) :
			     xasprintf("%s/repros/%s/repro", store, name);
	struct stat st;
	bool is = stat(path, &st) == 0;

	free(path);
	return is;
}

static void print_command(const struct repro *r, FILE *out)
{
	fputs("command:  ", out);
	for (size_t i = 0; i < r->arguments.count; i++) {
		putc(' ', out);
		quote_word(r->arguments.at[i], out);
	}
	fprintf(out, "\nfound by:  %s, seed %llu\n",
		r->strategy ? r->strategy : "?", (unsigned long long)r->seed);
}

/* ---- rules ---- */

static void print_words(const char *words, FILE *out)
{
	char *own = xstrdup(words);

	quote_clean(own);
	fputs(own, out);
	free(own);
}

static void print_event(const struct rule_event *e, FILE *out)
{
	fprintf(out, "    thread %c  ", 'A' + e->thread);
	rule_kinds_write(e, out);
	if (e->where && *e->where) {
		putc(' ', out);
		print_words(e->where, out);
	}
	fputs(e->flags & FORCE_HOLD ? ", held until its turn\n" : "\n", out);
}

static void print_rules(const struct rules *r, bool shows_all, FILE *out)
{
	enum { MOST = 4 };
	size_t shown = shows_all || r->all.count <= MOST ? r->all.count : MOST;

	fputs(r->is_free ? "\nkept by rules, which hold threads up in a run on "
			   "all processors: it comes again\nat a rate, and has "
			   "no schedule\n" :
			   "\nkept by rules, which hold threads up under "
			   "control; it has no schedule\n",
	      out);
	for (size_t i = 0; i < shown; i++) {
		const struct rule *rule = &r->all.at[i];

		fputs("  ", out);
		print_words(rule->note ? rule->note : "", out);
		putc('\n', out);
		for (uint32_t e = 0; e < rule->count; e++)
			print_event(&rule->events[e], out);
	}
	if (shown < r->all.count)
		fprintf(out, "  and %zu more (--all)\n", r->all.count - shown);
}

static void print_plan(const struct plan *plan, bool is_colourful,
		       bool shows_all, FILE *out)
{
	struct interleaving_style style = {
		.is_colourful = is_colourful,
		.width = terminal_width(),
		.most = shows_all ? 0 : STRETCHES,
	};

	if (rules_are_there(&plan->rules))
		print_rules(&plan->rules, shows_all, out);
	if (!plan->steps.count)
		return;
	putc('\n', out);
	interleaving_print(plan, &style, out);
}

/* ---- the rest ---- */

/* What to type: as it was found here. */
static void print_again(const char *store, const char *name, FILE *out)
{
	fputs("\nsee it again: heddle replay ", out);
	if (!strchr(name, '/') && strcmp(store, STORE_DEFAULT) != 0) {
		fputs("--store ", out);
		quote_word(store, out);
		putc(' ', out);
	}
	quote_word(name, out);
	putc('\n', out);
}

/* How many bytes of the output are shown: some lines of some length. */
static size_t output_shown(const char *text)
{
	const char *at = text;

	for (int i = 0; i < OUTPUT_LINES && *at; i++) {
		size_t n = strcspn(at, "\n");

		if (n > OUTPUT_COLUMNS)
			return (size_t)(at - text) + OUTPUT_COLUMNS;
		at += n + (at[n] == '\n');
	}
	return (size_t)(at - text);
}

/* What to type must be seen below it. */
static void print_output(struct repro *r, bool shows_all, FILE *out)
{
	size_t shown;

	if (!r->output_size)
		return;
	/* A zero byte would end the text. */
	for (size_t i = 0; i < r->output_size; i++)
		if (!r->output[i])
			r->output[i] = '?';
	quote_clean(r->output);
	shown = shows_all ? r->output_size : output_shown(r->output);
	fprintf(out, "\nit printed:\n%.*s", (int)shown, r->output);
	if (r->output[shown - 1] != '\n')
		putc('\n', out);
	if (shown == r->output_size)
		return;
	fprintf(out, "  ... %zu more bytes (--all): ", r->output_size - shown);
	print_words(r->path, out);
	fputs("/output\n", out);
}

int show_repro(const char *store, const char *name, bool is_colourful,
	       bool shows_all, FILE *out, struct err *err)
{
	struct repro *r = repro_load(store, name, err);

	if (!r)
		return -1;
	fprintf(out, "%s: %s\n", r->name, r->verdict);
	print_command(r, out);
	print_plan(r->plan, is_colourful, shows_all, out);
	if (r->details && *r->details)
		fprintf(out, "\n%s", r->details);
	print_output(r, shows_all, out);
	print_again(store, name, out);
	repro_free(r);
	return EXIT_BROKEN;
}
