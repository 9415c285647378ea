/* SPDX-License-Identifier: Apache-2.0 */
#include "report/excerpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean_text.h"

enum {
	AROUND = 60,	   /* lines on both sides */
	LINE_MOST = 400,   /* characters of a line that are told */
	LINES_MOST = 40000 /* in all, lest the report be a copy of the tree */
};

struct wanted {
	const char *file;
	int line;
};

static int by_file_and_line(const void *x, const void *y)
{
	const struct wanted *a = x, *b = y;
	int order = strcmp(a->file, b->file);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* ---- reading ---- */

struct source {
	FILE *in;
	int next; /* number of the line that is read next */
	char *line;
	size_t room;
};

static void source_open(struct source *s, const char *file,
			const char *directory)
{
	char *path = file[0] == '/' || !directory ?
			     xstrdup(file) :
			     xasprintf("%s/%s", directory, file);

	*s = (struct source){ .in = fopen(path, "re"), .next = 1 };
	free(path);
}

static bool source_read(struct source *s, size_t *size)
{
	ssize_t n = s->in ? getline(&s->line, &s->room, s->in) : -1;

	if (n < 0)
		return false;
	while (n > 0 && strchr("\r\n", s->line[n - 1]))
		n--;
	*size = n > LINE_MOST ? LINE_MOST : (size_t)n;
	s->next++;
	return true;
}

static void source_close(struct source *s)
{
	if (s->in)
		fclose(s->in);
	free(s->line);
}

/* ---- excerpts ---- */

static void excerpt_add(json_t *all, struct source *s, const char *file,
			int from, int to, int *left)
{
	json_t *lines = json_array();
	size_t size;

	while (s->next < from && source_read(s, &size))
		;
	while (s->next <= to && *left > 0 && source_read(s, &size)) {
		json_array_append_new(lines, clean_json_sized(s->line, size));
		(*left)--;
	}
	if (json_array_size(lines))
		json_array_append_new(all, json_pack("{s:o,s:i,s:O}", "file",
						     clean_json(file), "line",
						     from, "lines", lines));
	json_decref(lines);
}

/* The lines of one file, from *at on: those that are near each other make one
 * excerpt. */
static void file_add(json_t *all, const struct wanted *wanted, size_t count,
		     const char *directory, int *left)
{
	struct source s;
	size_t i = 0;

	source_open(&s, wanted[0].file, directory);
	while (i < count) {
		int from = wanted[i].line - AROUND, to;

		do
			to = wanted[i].line + AROUND;
		while (++i < count && wanted[i].line - AROUND <= to + 1);
		excerpt_add(all, &s, wanted[0].file, from < 1 ? 1 : from, to,
			    left);
	}
	source_close(&s);
}

json_t *excerpt_json(const struct witness *w, const char *directory)
{
	VEC(struct wanted) wanted = { 0 };
	json_t *all = json_array();
	int left = LINES_MOST;
	size_t end;

	for (size_t i = 0; i < w->places.count; i++)
		if (w->places.at[i].file && w->places.at[i].line > 0)
			vec_push(&wanted,
				 (struct wanted){ w->places.at[i].file,
						  w->places.at[i].line });
	if (wanted.count)
		qsort(wanted.at, wanted.count, sizeof(*wanted.at),
		      by_file_and_line);
	for (size_t i = 0; i < wanted.count; i = end) {
		end = i + 1;
		while (end < wanted.count &&
		       strcmp(wanted.at[i].file, wanted.at[end].file) == 0)
			end++;
		file_add(all, &wanted.at[i], end - i, directory, &left);
	}
	vec_free(&wanted);
	return all;
}
