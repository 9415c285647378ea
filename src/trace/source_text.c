/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void sources_done(struct sources *s)
{
	for (size_t i = 0; i < s->files.count; i++) {
		struct source_file *f = &s->files.at[i];

		for (size_t k = 0; k < f->lines.count; k++)
			free(f->lines.at[k]);
		vec_free(&f->lines);
		free(f->path);
	}
	vec_free(&s->files);
}

void source_squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static struct source_file *file_find(struct sources *s, const char *path)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (strcmp(s->files.at[i].path, path) == 0)
			return &s->files.at[i];
	return NULL;
}

static struct source_file *file_add(struct sources *s, const char *path)
{
	struct source_file f = { .path = xstrdup(path) };
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) >= 0) {
		source_squeeze(line);
		vec_push(&f.lines, xstrdup(line));
	}
	free(line);
	if (in)
		fclose(in);
	vec_push(&s->files, f);
	return &s->files.at[s->files.count - 1];
}

const char *source_text(struct sources *s, const char *path, int number)
{
	const struct source_file *f = path ? file_find(s, path) : NULL;

	if (!path || number < 1)
		return NULL;
	if (!f)
		f = file_add(s, path);
	return (size_t)number <= f->lines.count ? f->lines.at[number - 1] :
						  NULL;
}
