/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_UNIT_H
#define HEDDLE_SITE_UNIT_H

/*
 * One unit of debug information (what was one source file), indexed the first
 * time somebody asks for it: which function holds an address, what was inlined
 * there, and in which namespaces, classes and functions an entry stands.
 *
 * libdw gives entries in their order in the file and knows no way up; so the
 * index keeps the named scopes in that order, each with its parent, and finds
 * the scope of any entry by its place.
 */

#include "trace/site_span.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { NO_ENTRY = 0xffffffff };

/* A namespace, class or function: what can stand before "::". */
struct unit_scope {
	Dwarf_Die die;
	const void *last; /* the last entry inside it */
	uint32_t parent;  /* or NO_ENTRY */
};

struct unit_function {
	Dwarf_Die die;
	uint32_t inlines, inlines_end; /* the part of `inlines` inside it */
};

/* One stretch of code of one inlined call. A call with several stretches has
 * several of these. */
struct unit_inline {
	uint64_t low, high;
	Dwarf_Die die;
	uint32_t function; /* whose code it is */
	uint32_t parent;   /* the inlined call around it, or NO_ENTRY */
	uint32_t depth;
};

struct unit {
	Dwarf_Die cu;	/* has the line table and the ranges of code */
	Dwarf_Die root; /* has the entries; not cu if they are in a .dwo file */
	bool is_code;	/* neither a unit of types nor one to be imported */
	bool indexed;
	struct spans code; /* item: a function */
	VEC(struct unit_function) functions;
	VEC(struct unit_inline) inlines;
	VEC(struct unit_scope) scopes;
};

void unit_index(struct unit *u);
void unit_done(struct unit *u);

/* The function that holds an address, or NULL. */
const struct unit_function *unit_function_find(const struct unit *u,
					       uint64_t addr);

/* The innermost inlined call at an address of a function, or NULL. */
const struct unit_inline *unit_inline_find(const struct unit *u,
					   const struct unit_function *f,
					   uint64_t addr);

/* The scope an entry stands in, or NULL if it stands in none. */
const struct unit_scope *unit_scope_of(const struct unit *u,
				       const Dwarf_Die *die);

/* The entry that carries the name and stands where it was declared. */
Dwarf_Die die_declaration(Dwarf_Die die);

/* Entries that may hold functions, variables or scopes. */
bool tag_is_container(int tag);

#endif
