/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/wording.h"

/* An identity may hold anything but is one line here. */
static char *line_of(const struct repro *r)
{
	const char *program =
		r->arguments.count ? word_file(r->arguments.at[0]) : "?";
	char *line =
		xasprintf("%s %s", program, r->identity ? r->identity : "");

	for (char *p = line; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	return line;
}

int baseline_read(struct baseline *b, const char *path, bool may_be_missing,
		  struct err *err)
{
	size_t size;
	char *text, *rest, *line;

	*b = (struct baseline){ 0 };
	if (!path || (may_be_missing && access(path, F_OK) < 0))
		return 0;
	text = file_read(path, &size, err);
	if (!text)
		return -1;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			vec_push(&b->lines, xstrdup(line));
	free(text);
	return 0;
}

void baseline_done(struct baseline *b)
{
	for (size_t i = 0; i < b->lines.count; i++)
		free(b->lines.at[i]);
	vec_free(&b->lines);
}

bool baseline_has(const struct baseline *b, const struct repro *r)
{
	char *line = line_of(r);
	bool has = false;

	for (size_t i = 0; i < b->lines.count; i++)
		has |= strcmp(b->lines.at[i], line) == 0;
	free(line);
	return has;
}

void baseline_add(struct baseline *b, const struct repro *r)
{
	if (!baseline_has(b, r))
		vec_push(&b->lines, line_of(r));
}

int baseline_write(const struct baseline *b, const char *path, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	fputs("# Failures that heddle test knows and does not count.\n", out);
	for (size_t i = 0; i < b->lines.count; i++)
		fprintf(out, "%s\n", b->lines.at[i]);
	fclose(out);
	rc = file_write(path, text, err);
	free(text);
	return rc;
}
