/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TEXT_FORM_H
#define HEDDLE_TEXT_FORM_H

/*
 * A text file of ours: the name of its form and a version on the first line,
 * then a key and its values on each line, in the manner of text_line.h. The
 * form says what the file is called and which function takes a line; reading,
 * the first line, and complaints about them are the same for all.
 *
 * The reader is handed the line behind its key. What it leaves of the line is
 * an error, so a value that nobody asked for is never passed over.
 */

#include "trace/text_line.h"

#include <stddef.h>

struct text_form {
	const char *what;   /* "plan", for complaints */
	const char *header; /* "heddle-plan" */
	uint32_t version;
	/* Takes one line; 0, or -1 by way of line_error. */
	int (*line)(struct text_line *l, const char *key, void *of);
	/* Takes a line as it is, if it is one of the many that need not be
	 * split into words: 1; 0 if it is none of these; or -1. May be NULL. */
	int (*plain)(struct text_line *l, const char *text, void *of);
	/* Looks at the whole when all lines are read; may be NULL. */
	int (*whole)(struct text_line *l, void *of);
};

/* Reads `size` bytes of the file `name`; `of` is handed to the functions. */
MUST_USE int text_form_read(const struct text_form *f, const char *text,
			    size_t size, const char *name, void *of,
			    struct err *err);

/* Writes the first line. */
void text_form_write(const struct text_form *f, FILE *out);

#endif
