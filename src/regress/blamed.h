/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BLAMED_H
#define HEDDLE_BLAMED_H

/*
 * The pairs of accesses that caused a failure, as heddle locate confirmed them
 * by experiment and left them beside it (docs/formats.md, "What was located").
 * Two failures, of one program or of two versions of it, are compared by them:
 * the accesses of a pair are alike if they do the same in the function of the
 * same name, or by a line of the same text, as similar events do (similar.h);
 * numbers of lines and threads do not matter.
 *
 * What was suspected and not confirmed is not here: it would speak against a
 * bug that is the same as often as for it.
 */

#include "regress/signature.h"

struct blamed_access {
	char *kind;	/* "read", "write", "update" */
	char *function; /* "" where unknown, as the next */
	char *source;	/* text of the line */
	char *where;	/* "pay (till.c:6)" */
};

/* The head came right before the tail, in another thread. */
struct blamed_pair {
	struct blamed_access head, tail;
	char *variable;
};

struct blamed {
	VEC(struct blamed_pair) all;
};

/* From the least alike to the most. */
enum blamed_likeness {
	BLAMED_OTHER, /* nothing in common */
	BLAMED_NEAR,  /* the same variable, or some access alike */
	BLAMED_SAME,  /* a pair of the one is a pair of the other */
};

/* Of the directory of a failure; none if it was not located, or nothing of it
 * was confirmed. blamed_done in any case. */
void blamed_load(struct blamed *b, const char *directory);

/* Lines that are in signatures, too, get the text that was kept there: that of
 * the source may have been edited since. */
void blamed_tell_texts(struct blamed *b, const struct signatures *s);

/* The same from the text of located.json. */
void blamed_read(struct blamed *b, const char *text, size_t size);
void blamed_done(struct blamed *b);

/* Both have pairs. Which of them are most alike goes to *i and *k. */
enum blamed_likeness blamed_compare(const struct blamed *a,
				    const struct blamed *b, size_t *i,
				    size_t *k);

/* Is one of the pairs made of events of a signature? Its number goes to *i. */
bool blamed_is_signed(const struct blamed *b, const struct signatures *s,
		      size_t *i);

#endif
