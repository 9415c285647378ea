/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATED_WORDS_H
#define HEDDLE_LOCATED_WORDS_H

/*
 * Finding words for what the procedures found (locate.h). `sites` and
 * `g->failed` are NULL for given runs; then the words of their files are all
 * there is.
 */

#include "locate/inquiry.h"
#include "locate/locate.h"

struct words {
	const struct gathered *g;
	struct sites *sites;
	struct sites *run_sites; /* of an inquiry's run; NULL: none */
};

/* Functions and lines of all places, from the failing run's modules. */
void words_of_places(struct gathered *g);

/* An inquiry that is not known says nothing. */
void words_of_suspect(const struct words *w, const struct suspect *s,
		      const struct confirmation *c, const struct inquiry *q,
		      struct located_suspect *l);

/* Does a switch that shrinking left bring the suspect about? If there is none,
 * each thread runs until it waits: then, does the choice of who goes on? With
 * `l` they are listed there. */
bool words_of_switches(const struct words *w, const struct plan *plan,
		       const struct inquiry *q, struct located *l);

#endif
