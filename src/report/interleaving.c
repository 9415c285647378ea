/* SPDX-License-Identifier: Apache-2.0 */
#include "report/interleaving.h"

#include <string.h>

#include "format/event.h"

enum {
	WIDTH_IN_A_FILE = 100,
	MARGIN = 6, /* the numbers on the left */
	COLUMN_LEAST = 16,
	COLUMN_MOST = 60,
	COLUMNS_MOST = 8,
};

#define DIM "\033[2m"
#define BOLD "\033[1m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

/* Threads that took part, in the order of their numbers. */
struct columns {
	uint32_t threads[COLUMNS_MOST];
	size_t count;
	size_t width;
	size_t last_width;
	bool others; /* there were more */
	size_t file; /* length of the one file name of all places; 0: there
			are several */
};

static bool is_switch(const struct plan_step *s)
{
	return s->what <= STEP_YIELD;
}

static size_t column_of(const struct columns *c, uint32_t thread)
{
	size_t i = 0;

	while (i < c->count && c->threads[i] != thread)
		i++;
	return i;
}

static void column_add(struct columns *c, uint32_t thread)
{
	size_t i;

	if (column_of(c, thread) < c->count)
		return;
	if (c->count == COLUMNS_MOST) {
		c->others = true;
		return;
	}
	for (i = c->count++; i > 0 && c->threads[i - 1] > thread; i--)
		c->threads[i] = c->threads[i - 1];
	c->threads[i] = thread;
}

static size_t width_in_bounds(size_t width)
{
	return width < COLUMN_LEAST ? COLUMN_LEAST :
	       width > COLUMN_MOST  ? COLUMN_MOST :
				      width;
}

/* The last column has nothing beside it but the edge of the terminal, if there
 * is one. */
static void columns_spread(struct columns *c, size_t width)
{
	size_t room = (width ? width : WIDTH_IN_A_FILE) - MARGIN;
	size_t before;

	c->width = width_in_bounds(c->count ? room / c->count : room);
	before = c->count ? (c->count - 1) * c->width : 0;
	c->last_width = COLUMN_MOST;
	if (width)
		c->last_width =
			width_in_bounds(room > before ? room - before : 0);
}

static struct columns columns_find(const struct plan *p, size_t from,
				   size_t width)
{
	struct columns c = { 0 };

	for (size_t i = from; i < p->steps.count; i++) {
		column_add(&c, p->steps.at[i].thread);
		if (is_switch(&p->steps.at[i]))
			column_add(&c, p->steps.at[i].to);
	}
	columns_spread(&c, width);
	return c;
}

/* ---- cells ---- */

/* The step at which the thread last lost the turn before step `k`: there it
 * goes on. NULL: it has just begun. */
static const struct plan_step *last_stop(const struct plan *p, size_t k,
					 uint32_t thread)
{
	while (k-- > 0)
		if (p->steps.at[k].thread == thread &&
		    is_switch(&p->steps.at[k]))
			return &p->steps.at[k];
	return NULL;
}

/* "bank.c:14" of "deposit bank.c:14"; NULL: it has no line. */
static const char *file_line(const struct plan_step *s)
{
	const char *space = s->where ? strrchr(s->where, ' ') : NULL;
	const char *colon = space ? strrchr(space, ':') : NULL;

	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	return space + 1;
}

/* The line, or the function where no line is known. */
static const char *line_of(const struct plan_step *s)
{
	const char *line = file_line(s);

	return line ? line : s->where ? s->where : "?";
}

/* The length of the file name that all places have, or 0: then it need not be
 * said in each cell. */
static size_t one_file(const struct plan *p, const char **name)
{
	size_t size = 0;

	*name = NULL;
	for (size_t i = 0; i < p->steps.count; i++) {
		const char *line = file_line(&p->steps.at[i]);
		size_t n = line ? strcspn(line, ":") : 0;

		if (!line)
			continue;
		if (*name && (n != size || memcmp(*name, line, n) != 0))
			return 0;
		*name = line;
		size = n;
	}
	return size;
}

/* "bank.c:14 read" */
static char *place_text(const struct columns *c, const struct plan_step *s)
{
	const char *line = line_of(s);

	if (c->file && file_line(s))
		line += c->file;
	return xasprintf("%s %s", line, event_text(s->kind));
}

static char *cell_text(const struct columns *c, const struct plan_step *s)
{
	char *place, *text;

	if (!s)
		return xstrdup("begins");
	if (s->kind == EVENT_THREAD_END)
		return xstrdup("ends");
	place = place_text(c, s);
	if (!s->source)
		return place;
	text = xasprintf("%s  %s", place, s->source);
	free(place);
	return text;
}

static void cell_print(const struct columns *c, size_t column,
		       const char *number, const char *text, const char *colour,
		       FILE *out)
{
	size_t room = column + 1 < c->count ? c->width - 1 : c->last_width;

	fprintf(out, "%5s ", number);
	for (size_t i = 0; i < column; i++)
		fprintf(out, "%*s", (int)c->width, "");
	if (colour)
		fputs(colour, out);
	if (strlen(text) > room)
		fprintf(out, "%.*s..", (int)room - 2, text);
	else
		fputs(text, out);
	fputs(colour ? PLAIN "\n" : "\n", out);
}

/* ---- rows ---- */

static const char *why(const struct plan_step *s)
{
	switch (s->what) {
	case STEP_BLOCK:
		return "waits at";
	case STEP_YIELD:
		return "yields at";
	default:
		return "before";
	}
}

static void stop_print(const struct columns *c, const struct plan_step *s,
		       const struct interleaving_style *style, FILE *out)
{
	char *place = place_text(c, s);
	char *text = s->what == STEP_END ? xstrdup("ends") :
					   xasprintf(". %s %s", why(s), place);

	cell_print(c, column_of(c, s->thread), "", text,
		   style->is_colourful ? DIM : NULL, out);
	free(place);
	free(text);
}

static void go_on_print(const struct plan *p, const struct columns *c, size_t k,
			size_t number, const struct interleaving_style *style,
			FILE *out)
{
	const struct plan_step *s = &p->steps.at[k];
	char *text = cell_text(c, last_stop(p, k, s->to));
	char digits[16];

	snprintf(digits, sizeof(digits), "%zu", number);
	cell_print(c, column_of(c, s->to), digits, text,
		   style->is_colourful && s->what == STEP_PREEMPT ? BOLD : NULL,
		   out);
	free(text);
}

/* A name of C++ may be longer than its column. */
static void head_print(const char *name, size_t room, size_t width, FILE *out)
{
	if (strlen(name) > room)
		fprintf(out, "%.*s..%*s", (int)room - 2, name,
			width > room ? (int)(width - room) : 0, "");
	else
		fprintf(out, "%-*s", (int)width, name);
}

static void heads_print(const struct plan *p, const struct columns *c,
			const struct interleaving_style *style, FILE *out)
{
	fputs("      ", out);
	for (size_t i = 0; i < c->count; i++) {
		uint32_t thread = c->threads[i];
		const char *name =
			thread < p->threads.count ? p->threads.at[thread] : "?";

		if (style->is_colourful)
			fputs(BOLD, out);
		if (i + 1 < c->count)
			head_print(name, c->width - 1, c->width, out);
		else
			head_print(name, c->last_width, 0, out);
		if (style->is_colourful)
			fputs(PLAIN, out);
	}
	putc('\n', out);
}

static size_t first_shown(const struct plan *p, size_t most)
{
	size_t left = most, k = p->steps.count;

	if (!most)
		return 0;
	while (k > 0 && left > 0)
		left -= is_switch(&p->steps.at[--k]);
	return k;
}

void interleaving_print(const struct plan *p,
			const struct interleaving_style *style, FILE *out)
{
	size_t from = first_shown(p, style->most), number = 0;
	struct columns c = columns_find(p, from, style->width);
	const char *file;

	c.file = one_file(p, &file);
	if (c.file)
		fprintf(out, "lines of %.*s\n", (int)c.file, file);
	heads_print(p, &c, style, out);
	for (size_t k = 0; k < from; k++)
		number += is_switch(&p->steps.at[k]);
	if (number)
		fprintf(out, "      ... %zu %s before (--all shows %s)\n",
			number, number == 1 ? "switch" : "switches",
			number == 1 ? "it" : "them");
	for (size_t k = from; k < p->steps.count; k++) {
		const struct plan_step *s = &p->steps.at[k];

		if (!is_switch(s))
			continue;
		stop_print(&c, s, style, out);
		go_on_print(p, &c, k, ++number, style, out);
	}
	if (c.others)
		fputs("      (some threads have no column)\n", out);
}
