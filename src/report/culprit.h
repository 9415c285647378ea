/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CULPRIT_H
#define HEDDLE_CULPRIT_H

/*
 * Which steps of a failing run to look at first.
 *
 * Finds: around the switches of a schedule that was cut down to those it needs
 * (shrink.h), two accesses of the thread that was interrupted and one of
 * another thread between them, to the same bytes, that no serial order has
 * (the four patterns of unserial.h); where there are none, or the thread was
 * interrupted right before it, two conflicting accesses of two threads, the
 * later of which came after such a switch.
 * Misses: bugs of several variables as such (it shows one of their pairs), and
 * what a thread did without an access of the program's own code.
 * Wrong when: the schedule was not shrunk, or more than one bug is on the way:
 * it is a guess of a reader, and `heddle locate` the answer that was tried out.
 */

#include "report/witness.h"

enum culprit_kind {
	CULPRIT_NONE,
	CULPRIT_ATOMICITY, /* first, between, last */
	CULPRIT_ORDER,	   /* between, last */
};

/* Numbers of steps; WITNESS_NONE where the kind has no such step. */
struct culprit {
	enum culprit_kind kind;
	uint32_t first, between, last;
};

struct culprit culprit_find(const struct witness *w);

/* "atomicity violation on `balance` (bank.c:8)"; the caller frees. */
char *culprit_title(const struct witness *w, const struct culprit *c);

/* What would prevent it, in a sentence; the caller frees. */
char *culprit_advice(const struct witness *w, const struct culprit *c);

/* "bank.c:14", or "?"; the caller frees. */
char *culprit_place(const struct witness *w, uint32_t step);

#endif
