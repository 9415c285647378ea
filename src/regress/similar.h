/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SIMILAR_H
#define HEDDLE_SIMILAR_H

/*
 * Where in a program something may happen that is like an event of a signature
 * taken from another version of it.
 *
 * By offset, as Tsui, Wu and Chan have it (section 3.3): the instruction is at
 * most w bytes away from where it was in the file. An edit further up shifts
 * all offsets, so there are more ways: at most w bytes from the same
 * offset in the function of the same name; a line with the same text, in the
 * function of the same name; a line with the same text anywhere; and at last
 * any place in the function of the same name, inlined or not. That function may
 * have been inlined in one build and not in the other.
 *
 * An access to a global variable is an access to that variable, if the program
 * still has it. For locks that is not asked: a fix may take others.
 *
 * Operation, call stack and objects are looked at when a thread comes there, by
 * the guest (format/hunt.h).
 *
 * Misses: code that moved and was rewritten and renamed.
 * Wrong when: never; what is similar and harmless costs runs only.
 */

#include "regress/code_map.h"
#include "regress/signature.h"

enum similar_by {
	SIMILAR_OFFSET = 1,
	SIMILAR_FUNCTION = 2,
	SIMILAR_TEXT = 4,
	SIMILAR_MOVED = 8,
	SIMILAR_NAMED = 16,
};

/* Sites of events (return addresses of hooks). */
struct place {
	uint32_t low, high;
	uint32_t by; /* one of enum similar_by */
};

struct places {
	VEC(struct place) all;
};

/* Appends the places like the event, in these ways, within w. */
void similar_places(struct code_map *m, const struct signature_event *e,
		    uint32_t by, uint32_t w, struct places *out);

/* Where in memory the object of the event must be, if that is known: the
 * variable of the same name. */
bool similar_variable(struct code_map *m, const struct signature_event *e,
		      uint64_t *low, uint64_t *high);

/* How alike a site is: all the ways that hold within w, and the differences of
 * the offsets in file and function (UINT64_MAX: not comparable). */
struct similarity {
	uint32_t by;
	uint64_t offset, function_offset;
};
struct similarity similar_measure(struct code_map *m,
				  const struct signature_event *e,
				  uint32_t site, uint32_t w);

#endif
