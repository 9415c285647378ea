/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quote.h"

#include <string.h>

#include "base/utf8.h"

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* What a terminal obeys above a blank: in UTF-8 two bytes, and as one byte
 * (0x9b begins a command) whatever is no part of a character. The text ends
 * with a zero byte, and a character begins here. */
static bool is_high_control(const char *at)
{
	unsigned char c = (unsigned char)at[0];

	return (c == 0xc2 && (unsigned char)at[1] >= 0x80 &&
		(unsigned char)at[1] < 0xa0) ||
	       (c >= 0x80 && c < 0xa0);
}

/* How many bytes from here on are one character, or nothing at all. */
static size_t step(const char *at)
{
	size_t n = utf8_length(at, strnlen(at, 4));

	return n ? n : 1;
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

static bool has_control(const char *word)
{
	while (*word && !is_control(*word) && !is_high_control(word))
		word += step(word);
	return *word;
}

static bool is_not_plain(char c)
{
	return !is_plain(c);
}

static void spell_one(const char *at, size_t count, FILE *out)
{
	if (is_control(*at) || is_high_control(at))
		for (size_t i = 0; i < count; i++)
			fprintf(out, "\\%03o", (unsigned char)at[i]);
	else
		fprintf(out, "%s%.*s", strchr("'\\", *at) ? "\\" : "",
			(int)count, at);
}

static void spell(const char *word, FILE *out)
{
	fputs("$'", out);
	for (; *word; word += step(word))
		spell_one(word, step(word), out);
	putc('\'', out);
}

void quote_word(const char *word, FILE *out)
{
	if (has_control(word)) {
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

static bool is_command(const char *at)
{
	if (*at == '\n' || *at == '\t')
		return false;
	return is_control(*at) || is_high_control(at);
}

void quote_clean(char *text)
{
	while (text && *text) {
		size_t n = step(text);

		if (is_command(text))
			memset(text, '?', n);
		text += n;
	}
}

bool quote_is_clean(const char *text)
{
	for (; *text; text += step(text))
		if (*text == '\n' || is_command(text))
			return false;
	return true;
}
