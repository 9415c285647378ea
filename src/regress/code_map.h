/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CODE_MAP_H
#define HEDDLE_CODE_MAP_H

/*
 * The code of a program as it is loaded: which functions and which text of the
 * source its instructions come from, for all modules built with heddle cc.
 * From it places are found that are like a place in another version of the
 * program (similar.h), and the guest learns which functions its sites are in.
 *
 * Everything is copied or read anew; a map outlives the run it was made from.
 */

#include "format/region.h"
#include "trace/source_text.h"
#include "trace/site_code.h"

/* A function that has code of its own. One in several parts is several. */
struct code_function {
	const char *name;
	uint32_t low, high; /* sites of instructions */
};

struct code_map {
	struct region_module *modules;
	uint32_t module_count;
	struct sites *sites;
	struct code_pieces pieces; /* ascending, apart */
	VEC(struct code_function) functions;
	struct sources sources;
	VEC(const char *) texts; /* of each piece; NULL: unknown */
};

struct code_map *code_map_new(const struct region *r);
void code_map_free(struct code_map *m);

/* The piece an instruction is in, or NULL. For an event take its site less
 * one: it is the return address of the call to a hook. */
const struct code_piece *code_find(const struct code_map *m, uint32_t site);

/* The function whose code it is, or NULL. */
const struct code_function *code_holder(const struct code_map *m,
					uint32_t site);

/* The text of its line, or NULL. */
const char *code_text(struct code_map *m, const struct code_piece *p);

/* The module that is called so; else, if it is the program itself that may
 * have been renamed, the first one. NULL: there is none. */
const struct region_module *code_module(const struct code_map *m,
					const char *name);

/* Tells the guest which functions its sites are in. */
void code_tell(const struct code_map *m, struct hunt *hunt);

#endif
