/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* What a backslash stands for, with what is behind it; between $' and ' it may
 * be a byte in octal. Returns where that ends. */
static const char *spelled(const char *p, char quote, char *to)
{
	int digits = 0, byte = 0;

	for (; quote == '$' && digits < 3 && *p >= '0' && *p <= '7'; digits++)
		byte = byte * 8 + (*p++ - '0');
	*to = digits ? (char)byte : *p++;
	return p;
}

/* The quotation that begins here: '\'', '"', '$' for one with $', or 0. */
static char quotation(const char *p)
{
	if (*p == '$')
		return p[1] == '\'' ? '$' : 0;
	return *p == '\'' || *p == '"' ? *p : 0;
}

/* The word at *at, or NULL at the end of the line; `is_open`: a quotation has
 * no end. */
static char *word(const char **at, bool *is_open)
{
	const char *p = *at + strspn(*at, " \t\r");
	char *text = xmalloc(strlen(p) + 1), *to = text;
	char quote = 0;

	if (!*p) {
		free(text);
		return NULL;
	}
	while (*p && (quote || !strchr(" \t\r", *p))) {
		if (!quote && quotation(p)) {
			quote = quotation(p);
			p += quote == '$' ? 2 : 1;
		} else if (quote && *p == (quote == '$' ? '\'' : quote)) {
			quote = 0;
			p++;
		} else if (*p == '\\' && quote != '\'' && p[1]) {
			p = spelled(p + 1, quote, to++);
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	*is_open |= quote != 0;
	*at = p;
	return text;
}

static int line_add(struct command_file *f, const char *line, int number,
		    const char *name, struct err *err)
{
	struct command c = { .line = number };
	bool is_open = false;
	char *w;

	if (*line == '#')
		return 0;
	while ((w = word(&line, &is_open)))
		vec_push(&c.words, w);
	if (!c.words.count)
		return 0;
	vec_push(&c.words, NULL);
	vec_push(&f->commands, c);
	return is_open ? err_set(err, "%s:%d: a quotation has no end", name,
				 number) :
			 0;
}

int command_file_parse(struct command_file *f, const char *text,
		       const char *name, struct err *err)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	int number = 0, rc = 0;

	*f = (struct command_file){ 0 };
	while (rc == 0 && (line = strsep(&rest, "\n")))
		rc = line_add(f, line, ++number, name, err);
	free(copy);
	if (rc == 0 && !f->commands.count)
		rc = err_set(err, "%s: there is no command in it", name);
	return rc;
}

int command_file_read(struct command_file *f, const char *path, struct err *err)
{
	size_t size;
	char *text = file_read(path, &size, err);
	int rc = -1;

	*f = (struct command_file){ 0 };
	if (text)
		rc = command_file_parse(f, text, path, err);
	free(text);
	return rc;
}

void command_file_done(struct command_file *f)
{
	for (size_t i = 0; i < f->commands.count; i++) {
		for (size_t k = 0; k < f->commands.at[i].words.count; k++)
			free(f->commands.at[i].words.at[k]);
		vec_free(&f->commands.at[i].words);
	}
	vec_free(&f->commands);
}
