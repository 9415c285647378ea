/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TEXT_LINE_H
#define HEDDLE_TEXT_LINE_H

/*
 * One line of a text that people write: words, "quoted words" with the
 * escapes \" \\ \xHH, and fields name=number (decimal or 0x...); a # begins a
 * comment. Errors name file and line. The words point into the line they were
 * split from and live as long as it.
 */

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct text_line {
	const char *file;
	unsigned long number;
	struct err *err;
	VEC(char *) words;
	size_t next; /* word to look at */
};

/* A field that a line may have. */
struct text_field {
	const char *name;
	uint64_t *to;
	uint64_t max;
};

/* Takes a new line apart, in place. */
MUST_USE int line_split(struct text_line *l, char *text);

/* The next word, or NULL. */
char *line_word(struct text_line *l);

/* The next word, which must be a number of at most `max`. */
MUST_USE int line_number(struct text_line *l, const char *what, uint64_t max,
			 uint64_t *v);

/* Takes the rest of the line as fields out of a list that ends with a NULL
 * name. Those that are not there are left alone. */
MUST_USE int line_fields(struct text_line *l, const struct text_field *fields);

/* Takes the field `name` out of the line: its value, or NULL. */
char *line_take(struct text_line *l, const char *name);

/* "file:line: words"; always -1. */
int line_error(struct text_line *l, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Writes a quoted word. */
void text_put_quoted(FILE *out, const char *s);

/* Writes a line of a key and a quoted word, nothing for NULL. */
void text_put_line(FILE *out, const char *key, const char *value);

bool text_is_number(const char *s, uint64_t *v);
int text_hex_digit(char c); /* -1: it is none */

#endif
