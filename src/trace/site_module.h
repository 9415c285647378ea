/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_MODULE_H
#define HEDDLE_SITE_MODULE_H

/*
 * A module of the run, opened: its symbols, its segments, and its units of
 * debug information. Everything is read when it is first asked for. Addresses
 * are those of the file ("file addresses"): the address in memory less the
 * bias.
 *
 * Strings handed out live as long as the module is open.
 */

#include "trace/site_file.h"
#include "trace/site_memo.h"
#include "trace/site_unit.h"

#include "format/region.h"

enum segment {
	SEGMENT_DATA,
	SEGMENT_CODE,
};

struct site_symbol {
	const char *name; /* as in the file: a version may follow an '@' */
};

struct site_variable {
	Dwarf_Die die;
};

struct site_module {
	const struct region_module *run;
	struct module_files files;
	Dwarf *dwarf;  /* NULL: no debug information */
	bool is_open;  /* opened, or tried to */
	bool is_known; /* could be opened and is what ran */

	struct spans segments;	/* item: enum segment */
	struct spans functions; /* item: a symbol, as of objects */
	struct spans objects;
	VEC(struct site_symbol) symbols;

	struct spans code;	/* item: a unit */
	VEC(struct unit) units; /* in the order of their entries' places */

	bool has_variables; /* they have been collected */
	struct spans data;  /* item: a variable */
	VEC(struct site_variable) variables;

	struct memo names; /* of declarations and files, by their place in
			      the debug information */
	VEC(char *) kept;  /* strings we made */
};

/* Opens the module if that was not tried yet. On failure, which is told once,
 * the module is not known; that is not an obstacle to asking it anything. */
MUST_USE int module_open(struct site_module *m, struct err *err);
void module_close(struct site_module *m);

/* The symbol whose function or object holds an address, and how far into it;
 * or NULL. Names of C++ are made readable if the machine can. */
const char *module_function(struct site_module *m, uint64_t addr);
const char *module_object(struct site_module *m, uint64_t addr,
			  uint64_t *offset);

/* The symbol of a function, as the linker knows it, or NULL. */
const char *module_symbol(struct site_module *m, uint64_t addr);

/* The function, the object of this name, or NULL. */
const struct span *module_symbol_named(struct site_module *m, const char *name);
const struct span *module_object_named(struct site_module *m, const char *name);

/* Where an object of this name begins. */
bool module_object_find(struct site_module *m, const char *name,
			uint64_t *addr);

/* The unit whose code is at an address, indexed; or NULL. */
struct unit *module_unit(struct site_module *m, uint64_t addr);

/* A symbol's name as people write it, as far as that can be told. */
const char *module_demangle(struct site_module *m, const char *name,
			    bool is_function);

/* Takes over a string until the module is closed. */
const char *module_keep(struct site_module *m, char *made);

/* The name of a function or variable with its namespaces, classes and
 * functions before it, or NULL. */
const char *module_name(struct site_module *m, Dwarf_Die die);

#endif
