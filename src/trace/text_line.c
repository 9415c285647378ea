/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/text_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int line_error(struct text_line *l, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(l->err, "%s:%lu: %s", l->file, l->number, text);
}

int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* What a backslash before p stands for, stored at `to`: the last byte of the
 * escape, or NULL. */
static char *unescape(char *p, char *to)
{
	int high, low;

	if (*p == '"' || *p == '\\') {
		*to = *p;
		return p;
	}
	if (*p != 'x')
		return NULL;
	high = text_hex_digit(p[1]);
	low = high < 0 ? -1 : text_hex_digit(p[2]);
	if (low < 0)
		return NULL;
	*to = (char)(high * 16 + low);
	return p + 2;
}

/* Shifts a quoted word to where its first quote is and ends it: returns the
 * byte behind the last quote, or NULL. */
static char *unquote(char *p)
{
	char *to = p++;

	for (; *p != '"'; p++, to++) {
		if (*p == '\\')
			p = unescape(p + 1, to);
		else
			*to = *p;
		if (!p || *p == '\0')
			return NULL;
	}
	*to = '\0';
	return p + 1;
}

int line_split(struct text_line *l, char *p)
{
	l->words.count = l->next = 0;
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (*p == '\0' || *p == '#')
			return 0;
		vec_push(&l->words, p);
		if (*p == '"')
			p = unquote(p);
		else
			p += strcspn(p, " \t\r\n");
		if (!p)
			return line_error(
				l,
				"a quoted word lacks its end or has an escape other than \\\", \\\\ and \\xHH");
		if (*p)
			*p++ = '\0';
	}
}

char *line_word(struct text_line *l)
{
	return l->next < l->words.count ? l->words.at[l->next++] : NULL;
}

bool text_is_number(const char *s, uint64_t *v)
{
	char *end;

	if (s[0] < '0' || s[0] > '9')
		return false;
	errno = 0;
	*v = strtoull(s, &end, s[0] == '0' && s[1] == 'x' ? 16 : 10);
	return *end == '\0' && errno == 0;
}

int line_number(struct text_line *l, const char *what, uint64_t max,
		uint64_t *v)
{
	const char *word = line_word(l);

	if (!word)
		return line_error(l, "%s is missing", what);
	if (!text_is_number(word, v))
		return line_error(l, "%s must be a number, not %s", what, word);
	if (*v > max)
		return line_error(l, "%s %s is beyond the limit of %" PRIu64,
				  what, word, max);
	return 0;
}

int line_fields(struct text_line *l, const struct text_field *fields)
{
	const char *word;

	while ((word = line_word(l))) {
		const struct text_field *f = fields;
		size_t size = strcspn(word, "=");

		while (f->name && (strlen(f->name) != size ||
				   memcmp(f->name, word, size) != 0))
			f++;
		if (!f->name || word[size] != '=')
			return line_error(l, "there is no place for %s here",
					  word);
		if (!text_is_number(word + size + 1, f->to) || *f->to > f->max)
			return line_error(
				l,
				"%s: this must be a number of at most %" PRIu64,
				word, f->max);
	}
	return 0;
}

char *line_take(struct text_line *l, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = l->next; i < l->words.count; i++) {
		char *word = l->words.at[i];

		if (strncmp(word, name, size) != 0 || word[size] != '=')
			continue;
		memmove(&l->words.at[i], &l->words.at[i + 1],
			(l->words.count - i - 1) * sizeof(word));
		l->words.count--;
		return word + size + 1;
	}
	return NULL;
}

void text_put_quoted(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

void text_put_line(FILE *out, const char *key, const char *value)
{
	if (!value)
		return;
	fprintf(out, "%s ", key);
	text_put_quoted(out, value);
	fputc('\n', out);
}
