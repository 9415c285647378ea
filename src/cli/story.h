/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STORY_H
#define HEDDLE_STORY_H

/*
 * What came of a test, for a person at a terminal: what broke, the few steps
 * that matter side by side, what is missing, and what to type next; or what was
 * covered, where nothing broke.
 */

#include "cli/tester.h"

#include <stdio.h>

struct story_style {
	bool is_colourful;
	size_t width;	    /* of the terminal; 0: unknown */
	const char *store;  /* NULL: the usual one */
	const char *page;   /* path of the report; NULL: none */
	bool shows_command; /* several commands are tested */
};

void story_print(const struct tested *t, char *const *argv,
		 const struct story_style *style, FILE *out);

/* "broken: ..." alone, without colours; the caller frees. */
char *story_line(const struct tested *t);

#endif
