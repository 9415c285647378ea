/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_GLOBAL_H
#define HEDDLE_SITE_GLOBAL_H

/*
 * From an address of data to the variable it belongs to, and to the member of
 * the variable: "table.count", "counts[3].hits". Where the debug information
 * ends, the symbol and the distance from it.
 */

#include "trace/site_module.h"

#include <stdio.h>

/* The caller frees; NULL if the module says nothing about the address. */
char *module_variable(struct site_module *m, uint64_t addr, uint64_t size);

/* The name of the symbol an address lies in whose variable the module has no
 * debug information on, or NULL: it was defined in another module, and the
 * linker put the copy everybody uses into this one. */
const char *module_copied(struct site_module *m, uint64_t addr,
			  uint64_t *offset);

/* Writes the way from an object of a type to the bytes at an offset in it:
 * ".count", "[3].hits", "+2", or nothing. An access that covers more than one
 * member ends at what they have in common, or where it begins. */
void member_write(FILE *out, Dwarf_Die *type, uint64_t offset, uint64_t size);

#endif
