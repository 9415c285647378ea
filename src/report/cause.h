/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAUSE_H
#define HEDDLE_CAUSE_H

/*
 * What is said to have caused a failure. A suspect of heddle locate that was
 * confirmed by experiment decides; one that was not is nothing to go by, and
 * then the guess of culprit.h is what there is. Whether the steps of the guess
 * show what was confirmed is told as well: steps that show something else must
 * not stand beside it.
 */

#include "report/culprit.h"

#include <jansson.h>

struct cause {
	char *title;  /* NULL: nothing is known */
	char *advice; /* a sentence */
	/* The suspect, as in located.json; NULL: it is a guess. Not ours. */
	const json_t *confirmed;
	bool has_steps; /* the culprit's steps show it */
};

/* `w` and `located` may be NULL. cause_done frees what it owns. */
struct cause cause_find(const struct witness *w, const struct culprit *c,
			const json_t *located);
void cause_done(struct cause *c);

/* It was confirmed, and all of its variables are in `text`, such as that of a
 * race: a race is its own cause, and another variable has no part in it. */
bool cause_is_told_in(const struct cause *c, const char *text);

/* "bank.c:14" of an access in located.json; the caller frees. */
char *cause_place(const json_t *access);

#endif
