/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATED_WORDS_H
#define HEDDLE_LOCATED_WORDS_H

/*
 * Finding words for what the procedures found (locate.h). `sites` and
 * `g->failed` are NULL for given runs; then the words of their files are all
 * there is.
 */

#include "locate/locate.h"

struct words {
	const struct gathered *g;
	struct sites *sites;
	struct again *again; /* for experiments; NULL: none */
	uint64_t deadline;   /* of them; 0: none */
};

/* Functions and lines of all places, from the failing run's modules. */
void words_of_places(struct gathered *g);

/* `c` may be NULL. */
void words_of_suspect(const struct words *w, const struct suspect *s,
		      const struct confirmation *c, struct located_suspect *l);

/* Does a switch that shrinking left lie at the accesses of the suspect? With
 * `l` the switches are listed there. */
bool words_of_switches(const struct words *w, const struct plan *plan,
		       const struct suspect *s, struct located *l);

#endif
