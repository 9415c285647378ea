/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CALLSITES_H
#define HEDDLE_CALLSITES_H

/*
 * Where a program calls our hooks, found by disassembling it, so that the
 * guest can take those calls out of a perturbed run that no rule asks for
 * (format/force.h). Hooks of atomic accesses are left alone, because they do
 * the access; and what looks unusual is left alone as well: a hook that stays
 * costs time and nothing else.
 */

#include "base/vec.h"
#include "format/region.h"

/* Fills in region->force.patches for the modules that are loaded, but for the
 * sites that rules name. A module that cannot be read has none. */
void callsites_fill(struct region *region);

/* Sites, ascending within a module. */
struct callsites {
	VEC(uint32_t) all;
};

/* Where the modules that were built with hooks call something in another one:
 * every place of theirs at which the guest may hear of something. Frames of
 * functions are no such places. The caller frees the vector. */
void callsites_list(const struct region *region, struct callsites *out);

#endif
