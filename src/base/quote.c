/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quote.h"

#include <string.h>

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("%+,-./:=@_^", c));
}

static bool has(const char *word, bool (*is)(char))
{
	while (*word && !is(*word))
		word++;
	return *word;
}

static bool is_not_plain(char c)
{
	return !is_plain(c);
}

static void spell(const char *word, FILE *out)
{
	fputs("$'", out);
	for (; *word; word++)
		if (is_control(*word))
			fprintf(out, "\\%03o", (unsigned char)*word);
		else
			fprintf(out, strchr("'\\", *word) ? "\\%c" : "%c",
				*word);
	putc('\'', out);
}

void quote_word(const char *word, FILE *out)
{
	if (has(word, is_control)) {
		spell(word, out);
	} else if (*word && !has(word, is_not_plain)) {
		fputs(word, out);
	} else {
		putc('\'', out);
		for (; *word; word++)
			if (*word == '\'')
				fputs("'\\''", out);
			else
				putc(*word, out);
		putc('\'', out);
	}
}

/* ---- text ---- */

/* In UTF-8 there are some above a blank, too. */
static bool is_command(const char *at)
{
	unsigned char next = (unsigned char)at[1];

	if (*at == '\n' || *at == '\t')
		return false;
	return is_control(*at) ||
	       ((unsigned char)*at == 0xc2 && next >= 0x80 && next < 0xa0);
}

void quote_clean(char *text)
{
	for (; text && *text; text++)
		if (is_command(text))
			*text = '?';
}

bool quote_is_clean(const char *text)
{
	for (; *text; text++)
		if (*text == '\n' || is_command(text))
			return false;
	return true;
}
