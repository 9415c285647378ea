/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SUGGEST_H
#define HEDDLE_SUGGEST_H

/*
 * "Did you mean ...?": the known word nearest to an unknown one.
 */

#include <stddef.h>

struct suggest {
	const char *word;    /* as it was given */
	const char *nearest; /* so far, NULL: none near enough */
	size_t distance;
};

/* Offer every known word, then look at `nearest`. */
void suggest_offer(struct suggest *s, const char *known);

/* Letters to insert, delete, replace or swap with the next to get from a to
 * b; at most `limit` + 1. */
size_t suggest_distance(const char *a, const char *b, size_t limit);

#endif
