/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_COMPONENT_H
#define HEDDLE_COMPONENT_H

/*
 * A component of a program's state: its name, what it is, and its elements.
 *
 * It has a hash that is cheap to compare: of a sequence the chain of its
 * elements, of everything else the sum of its elements' hashes, so that order
 * does not count and equal elements do not cancel out. Elements are listed too,
 * for rules that ask whether one component is contained in another, and for
 * people.
 */

#include "base/vec.h"
#include "format/linear_block.h"
#include "linear/blob.h"

struct element {
	struct blob key;   /* of a map; else empty */
	struct blob value; /* of a counter: the number as text */
	uint64_t hash;
};

struct component {
	char *name;
	enum linear_kind kind;
	VEC(struct element) elements;
	uint64_t hash; /* valid after component_seal */
};

struct components {
	VEC(struct component) all; /* by name */
};

void components_done(struct components *c);
struct components components_copy(const struct components *from);

/* NULL: there is none of that name. */
const struct component *components_find(const struct components *c,
					const char *name);

/* The one of that name, made if there is none. */
struct component *components_get(struct components *c, const char *name,
				 enum linear_kind kind);

/* One change, as the log has it. */
void component_change(struct component *c, enum linear_change change,
		      struct blob key, struct blob value);

/* Each line of the text is an element; `before` stands in front of each. */
void component_add_lines(struct component *c, const char *before,
			 struct blob text);

/* All changes are made: sorts what has no order, and hashes. */
void components_seal(struct components *c);

const char *component_kind_text(enum linear_kind kind);

#endif
