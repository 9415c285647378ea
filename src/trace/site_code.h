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

/* Return addresses of calls, as sites; the owner frees `at`. */
struct call_sites {
	uint32_t *at;
	size_t count, room;
	uint32_t first; /* where the function begins */
};

/* The symbol in whose function a call returns to `site`, as the linker knows
 * it, and the number of the module; or NULL. */
const char *site_symbol(struct sites *s, uint32_t site, uint32_t *module);

/* All calls that the function of this symbol makes, ascending; none if module
 * number n has no such function. */
void sites_calls(struct sites *s, uint32_t n, const char *symbol,
		 struct call_sites *out);

/* Where in memory a global variable of this name is, in a module that calls our
 * hooks; false: there is none. */
bool sites_variable(struct sites *s, const char *name, uint64_t *low,
		    uint64_t *high);

#endif
