/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_CODE_H
#define HEDDLE_SITE_CODE_H

/*
 * All code of a module, cut into pieces that each came from one place of the
 * source: one line, by one chain of inlined calls. Where site.h answers what is
 * at a site, this answers where something is.
 *
 * The pieces are ascending and apart. Their chains are the resolver's (site.h)
 * and live as long as it.
 */

#include "trace/site.h"

struct code_piece {
	uint32_t low, high; /* sites of instructions; not return addresses */
	struct site_chain chain;
};

/* The zero value is empty; the owner frees `at`. */
struct code_pieces {
	struct code_piece *at;
	size_t count, room;
};

/* Appends the pieces of module number n. Without debug information they are
 * its symbols' functions, and without symbols there are none. */
void sites_code(struct sites *s, uint32_t n, struct code_pieces *out);

/* Where in memory a global variable of this name is, in a module that calls our
 * hooks; false: there is none. */
bool sites_variable(struct sites *s, const char *name, uint64_t *low,
		    uint64_t *high);

#endif
