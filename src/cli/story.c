/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/story.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "cli/doubt.h"
#include "report/cause.h"
#include "report/last_signal.h"
#include "report/report_campaign.h"
#include "report/wording.h"

#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define YELLOW "\033[1;33m"
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

enum {
	WIDTH = 78, /* where nobody says how wide */
	INDENT = 4,
	COLUMN_LEAST = 24,
	DETAILS_MOST = 24, /* lines */
};

static const char *colour(const struct story_style *s, const char *code)
{
	return s->is_colourful ? code : "";
}

static const char *verdict_colour(enum exit_status status)
{
	return status == EXIT_HELD   ? GREEN :
	       status == EXIT_BROKEN ? RED :
				       YELLOW;
}

static int digits(double seconds)
{
	return seconds < 1 ? 2 : 1;
}

/* ---- the steps that matter ---- */

/* The text of a step's line, as the report would show it. */
static char *source_of(const struct witness *w, const struct repro *r,
		       const struct witness_step *s)
{
	const struct witness_place *p =
		s->place == WITNESS_NONE ? NULL : &w->places.at[s->place];
	char *path, *line = NULL, *text = NULL;
	size_t room = 0;
	FILE *f;

	if (!p || !p->file || p->line < 1)
		return NULL;
	path = p->file[0] == '/' ? xstrdup(p->file) :
				   xasprintf("%s/%s", r->directory, p->file);
	f = fopen(path, "re");
	free(path);
	for (int i = 0; f && i < p->line; i++)
		if (getline(&line, &room, f) < 0)
			goto out;
	if (f && line) {
		char *start = line + strspn(line, " \t");

		start[strcspn(start, ";\r\n")] = '\0';
		text = xstrdup(start);
	}
out:
	free(line);
	if (f)
		fclose(f);
	return text;
}

static char *value_text(const struct witness_step *s)
{
	char *value, *text;

	if (!s->has_after && !s->has_before)
		return xstrdup("");
	value = witness_value(s->has_after ? s->after : s->before, s->size);
	text = xasprintf("  (%s)", value);
	free(value);
	return text;
}

/* Two accesses of one line: its text would not tell which is meant. */
static bool is_one_line(const struct evidence *e)
{
	const struct witness *w = e->witness;
	uint32_t first = e->culprit.first;
	char *a, *b;
	bool is_same;

	if (first == WITNESS_NONE)
		return false;
	a = culprit_place(w, first);
	b = culprit_place(w, e->culprit.last);
	is_same = strcmp(a, b) == 0;
	free(a);
	free(b);
	return is_same;
}

/* "bank.c:14  b = balance  (10)", or "bank.c:8  read balance" */
static char *cell_text(const struct evidence *e, uint32_t n)
{
	const struct witness *w = e->witness;
	const struct witness_step *s = &w->steps.at[n];
	char *place = culprit_place(w, n), *value = value_text(s);
	char *source = is_one_line(e) ? NULL : source_of(w, e->repro, s);
	char *text;

	if (source && *source)
		text = xasprintf("%s  %s%s", place, source, value);
	else
		text = xasprintf("%s  %s %s%s", place,
				 witness_writes(s) ? "write" : "read",
				 w->locations.at[s->location].name, value);
	free(place);
	free(source);
	free(value);
	return text;
}

/* What is wrong with the step, behind it. */
static const char *remark(const struct witness *w, const struct culprit *c,
			  uint32_t n)
{
	const struct witness_step *s = &w->steps.at[n];

	if (c->kind == CULPRIT_ORDER)
		return n == c->between ? "  <- too early" : "";
	if (n == c->between)
		return witness_writes(s) ? "" : "  <- reads what is half done";
	if (n != c->last)
		return "";
	if (!witness_writes(s))
		return witness_writes(&w->steps.at[c->first]) ?
			       "  <- its own write is gone" :
			       "  <- reads something else";
	return witness_writes(&w->steps.at[c->between]) ? "  <- overwrites" :
							  "";
}

static void cell_print(const struct story_style *style, size_t column,
		       size_t width, size_t room, const char *text,
		       const char *behind, FILE *out)
{
	fprintf(out, "%*s", (int)(INDENT + column * width), "");
	if (strlen(text) + strlen(behind) > room && room > strlen(behind) + 8)
		fprintf(out, "%.*s..", (int)(room - strlen(behind) - 2), text);
	else
		fputs(text, out);
	fprintf(out, "%s%s%s\n", colour(style, YELLOW), behind,
		colour(style, PLAIN));
}

static size_t column_width(const struct story_style *style)
{
	size_t all = style->width ? style->width : WIDTH;
	size_t width = (all - INDENT) / 2;

	return width < COLUMN_LEAST ? COLUMN_LEAST : width;
}

static void threads_print(const struct story_style *style, const char *left,
			  const char *right, FILE *out)
{
	int width = (int)column_width(style);

	fprintf(out, "%*s%s%-*.*s%.*s%s\n", INDENT, "", colour(style, DIM),
		width, width - 1, left, width, right, colour(style, PLAIN));
}

/* The left column may run over: nothing stands beside it. */
static void step_print(const struct story_style *style, bool is_left,
		       const char *text, const char *behind, FILE *out)
{
	size_t width = column_width(style);

	cell_print(style, !is_left, width,
		   is_left ? 2 * width : width + width / 2, text, behind, out);
}

static void steps_print(const struct evidence *e,
			const struct story_style *style, FILE *out)
{
	const struct witness *w = e->witness;
	const struct culprit *c = &e->culprit;
	const uint32_t steps[] = { c->first, c->between, c->last };
	uint32_t left = w->steps.at[c->last].thread;
	uint32_t right = w->steps.at[c->between].thread;

	if (right < left) {
		left = right;
		right = w->steps.at[c->last].thread;
	}
	threads_print(style, w->threads.at[left], w->threads.at[right], out);
	for (size_t i = 0; i < 3; i++) {
		char *text;
		bool is_left;

		if (steps[i] == WITNESS_NONE)
			continue;
		is_left = w->steps.at[steps[i]].thread == left;
		text = cell_text(e, steps[i]);
		step_print(style, is_left, text, remark(w, c, steps[i]), out);
		free(text);
	}
}

/* ---- what was confirmed by experiment ---- */

static const char *json_text(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? text : "?";
}

/* "late.c:8  if (*limit != 7)", or "late.c:8  read limit" */
static char *access_text(const json_t *pair, const json_t *access)
{
	const char *source =
		json_string_value(json_object_get(access, "source"));
	char *place = cause_place(access), *text;

	if (source && *source)
		text = xasprintf("%s  %.*s", place, (int)strcspn(source, ";"),
				 source);
	else
		text = xasprintf("%s  %s %s", place, json_text(access, "kind"),
				 json_text(pair, "variable"));
	free(place);
	return text;
}

static void pair_print(const json_t *suspect, const json_t *pair,
		       const struct story_style *style, FILE *out)
{
	const json_t *head = json_object_get(pair, "head");
	const json_t *tail = json_object_get(pair, "tail");
	const char *first = json_text(head, "thread");
	const char *second = json_text(tail, "thread");
	bool is_left = strcmp(first, second) <= 0;
	bool is_order = strcmp(json_text(suspect, "kind"), "order") == 0;
	char *text = access_text(pair, head);

	threads_print(style, is_left ? first : second, is_left ? second : first,
		      out);
	step_print(style, is_left, text, is_order ? "  <- too early" : "", out);
	free(text);
	text = access_text(pair, tail);
	step_print(style, !is_left, text, "", out);
	free(text);
}

/* ---- a failure ---- */

static void lines_print(const char *text, int most, FILE *out)
{
	while (*text && most-- > 0) {
		size_t n = strcspn(text, "\n");

		fprintf(out, "%.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
	if (*text)
		fputs("  ...\n", out);
}

/* What was confirmed, where the steps show something else. */
static void pairs_print(const struct cause *c, const struct story_style *style,
			FILE *out)
{
	const json_t *pairs = json_object_get(c->confirmed, "pairs");

	for (size_t i = 0; i < json_array_size(pairs); i++)
		pair_print(c->confirmed, json_array_get(pairs, i), style, out);
}

static void cause_print(const struct evidence *e, const struct cause *c,
			const struct story_style *style, FILE *out)
{
	fprintf(out, "%s%s%s\n", colour(style, BOLD), c->title,
		colour(style, PLAIN));
	if (c->has_steps)
		steps_print(e, style, out);
	else
		pairs_print(c, style, out);
	fprintf(out, "%s\n", c->advice);
	if (c->confirmed)
		fputs("confirmed: the other way round it holds\n", out);
	else
		fprintf(out, "%sa guess: no experiment has confirmed it%s\n",
			colour(style, DIM), colour(style, PLAIN));
}

/* What is known for certain says more than a guess: who waits for whom, which
 * two accesses race, who freed the block. */
static bool is_certain(const struct repro *r)
{
	return r->outcome == OUTCOME_DEADLOCK || r->outcome == OUTCOME_RACE ||
	       r->outcome == OUTCOME_USE_AFTER_FREE ||
	       r->outcome == OUTCOME_DOUBLE_FREE;
}

static bool has_cause(const struct repro *r, const struct cause *c)
{
	if (r->outcome == OUTCOME_DEADLOCK)
		return false;
	if (r->outcome == OUTCOME_RACE)
		return cause_is_told_in(c, r->verdict);
	return is_certain(r) ? c->confirmed != NULL : c->title != NULL;
}

static void explanation_print(const struct evidence *e,
			      const struct story_style *style, FILE *out)
{
	struct cause c = cause_find(e->witness, &e->culprit, e->located);

	bool is_caused = has_cause(e->repro, &c);

	if (e->repro->details && (!is_caused || is_certain(e->repro)))
		lines_print(e->repro->details, DETAILS_MOST, out);
	if (is_caused)
		cause_print(e, &c, style, out);
	if (e->repro->outcome == OUTCOME_DEADLOCK)
		last_signals_print(e->witness, out);
	/* What the program has to say about a status that it chose itself. */
	if (e->repro->outcome == OUTCOME_EXIT && e->errors)
		report_printed("standard error", e->errors, strlen(e->errors),
			       out);
	cause_done(&c);
}

/* "heddle replay --store DIR NAME"; the caller frees. */
static char *replay_text(const struct tester_bug *b,
			 const struct story_style *style)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fputs("heddle replay ", out);
	if (style->store) {
		fputs("--store ", out);
		quote_word(style->store, out);
		putc(' ', out);
	}
	fputs(b->name, out);
	fclose(out);
	return text;
}

/* Behind what stands in the line already, or on the next if there is no room
 * for it. */
static size_t item_print(const struct story_style *style, size_t used,
			 const char *text, const char *more, const char *code,
			 FILE *out)
{
	enum { GAP = 3 };
	size_t length = GAP + strlen(text) + strlen(more);
	bool is_new = style->width && used + length > style->width;

	fprintf(out, "%s%*s%s%s%s%s", is_new ? "\n" : "", GAP, "",
		colour(style, code), text, more, colour(style, PLAIN));
	return is_new ? length : used + length;
}

static void next_print(const struct tester_bug *b,
		       const struct story_style *style, FILE *out)
{
	const struct evidence *e = &b->evidence;
	char *replay = replay_text(b, style);
	size_t used;

	if (e->times)
		used = (size_t)fprintf(out, "replayed %" PRIu32 " of %" PRIu32,
				       e->same, e->times);
	else
		used = (size_t)fprintf(out, "kept");
	/* A debugger stops nothing that comes once in a while. */
	if (doubt_is_at_rate(e)) {
		used = item_print(style, used, replay, " --times 100", BOLD,
				  out);
	} else {
		used = item_print(style, used, replay, "", BOLD, out);
		used = item_print(style, used, replay, " --gdb", BOLD, out);
	}
	if (style->page)
		item_print(style, used, style->page, "", "", out);
	putc('\n', out);
	free(replay);
}

static void headline_print(enum exit_status status, const char *text,
			   double seconds, uint64_t schedules,
			   const struct story_style *style, FILE *out)
{
	char *cost = xasprintf("%.*f s, %" PRIu64 " schedule%s",
			       digits(seconds), seconds, schedules,
			       schedules == 1 ? "" : "s");
	size_t all = style->width ? style->width : WIDTH;
	size_t used = strlen(verdict_text(status)) + 2 + strlen(text);
	size_t gap = used + strlen(cost) + 4 < all ? all - used - strlen(cost) :
						     4;

	fprintf(out, "%s%s:%s %s%s%s%*s%s%s%s\n",
		colour(style, verdict_colour(status)), verdict_text(status),
		colour(style, PLAIN), colour(style, BOLD), text,
		colour(style, PLAIN), (int)gap, "", colour(style, DIM), cost,
		colour(style, PLAIN));
	free(cost);
}

static void notes_print(const struct tested *t, FILE *out)
{
	for (size_t i = 0; i < t->notes.count; i++)
		fprintf(out, "note: %s\n", t->notes.at[i]);
}

static void bugs_print(const struct tested *t, const struct story_style *style,
		       FILE *out)
{
	bool is_at_rate = false;

	for (size_t i = 0; i < t->bugs.count; i++) {
		const struct tester_bug *b = &t->bugs.at[i];

		if (i)
			putc('\n', out);
		headline_print(EXIT_BROKEN, b->evidence.repro->verdict,
			       b->seconds, b->schedules, style, out);
		if (b->is_known)
			fputs("known: it is in the baseline\n", out);
		explanation_print(&b->evidence, style, out);
		doubt_print(&b->evidence, out);
		next_print(b, style, out);
		is_at_rate |= doubt_is_at_rate(&b->evidence);
	}
	/* They may tell why there is no schedule. */
	if (is_at_rate)
		notes_print(t, out);
}

/* ---- nothing broke ---- */

static char *quiet_text(const struct tested *t)
{
	if (t->native_ending)
		return xasprintf("the program %s when it was only watched, and "
				 "on no schedule",
				 t->native_ending);
	if (t->unknown)
		return xstrdup(t->unknown);
	if (t->stopped_by)
		return xasprintf("nothing broke until SIG%s",
				 sigabbrev_np(t->stopped_by));
	return xstrdup(t->is_complete ? "nothing broke on any schedule" :
					"nothing broke");
}

static void ways_print(const struct tested *t, FILE *out)
{
	const char *before = "tried: ";

	for (size_t i = 0; i < t->ways.count; i++) {
		const struct tester_way *w = &t->ways.at[i];

		fprintf(out, "%s%s %" PRIu64, before, w->name, w->runs);
		before = ", ";
	}
	if (t->ways.count)
		fputs(t->ways.at[t->ways.count - 1].runs == 1 ? " schedule\n" :
								" schedules\n",
		      out);
}

/* Complete: no other schedule would make a difference. */
static void explored_print(const struct tested *t, FILE *out)
{
	if (!t->classes)
		return;
	fputs("explored: ", out);
	word_count(t->classes, "causal class", "causal classes", out);
	fprintf(out, ", %s\n", t->is_complete ? "complete" : "there are more");
}

static void watched_print(const struct tested *t,
			  const struct story_style *style, FILE *out)
{
	if (t->races < 0)
		return;
	fputs("watched: ", out);
	word_count((uint64_t)t->races, "data race", "data races", out);
	fputs(", ", out);
	word_count((uint64_t)t->cycles, "lock cycle", "lock cycles", out);
	if (t->feasible > 0)
		fprintf(out, "; %d of %d feasible interleavings exercised",
			t->exercised, t->feasible);
	else if (t->feasible == 0)
		fputs("; no unserializable interleaving is feasible", out);
	if (t->races + t->cycles > 0)
		fprintf(out, "   %sheddle run --observe%s", colour(style, BOLD),
			colour(style, PLAIN));
	putc('\n', out);
}

static void quiet_print(const struct tested *t, const struct story_style *style,
			FILE *out)
{
	char *text = quiet_text(t);

	headline_print(t->status, text, t->seconds, t->schedules, style, out);
	ways_print(t, out);
	explored_print(t, out);
	watched_print(t, style, out);
	notes_print(t, out);
	free(text);
}

void story_print(const struct tested *t, char *const *argv,
		 const struct story_style *style, FILE *out)
{
	if (style->shows_command) {
		fputs(colour(style, DIM), out);
		for (char *const *a = argv; *a; a++) {
			quote_word(*a, out);
			putc(a[1] ? ' ' : '\n', out);
		}
		fputs(colour(style, PLAIN), out);
	}
	if (t->bugs.count)
		bugs_print(t, style, out);
	else
		quiet_print(t, style, out);
}

char *story_line(const struct tested *t)
{
	char *text, *line;

	if (t->bugs.count)
		return xstrdup(t->bugs.at[0].evidence.repro->verdict);
	text = quiet_text(t);
	line = xstrdup(text);
	free(text);
	return line;
}
