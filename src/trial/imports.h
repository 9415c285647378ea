/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_IMPORTS_H
#define HEDDLE_IMPORTS_H

/*
 * Which functions of other modules a module calls, and how: by a stub of the
 * procedure linkage table, or through a slot that the dynamic linker fills. A
 * caller names the functions it wants to know, by numbers of its own.
 */

#include "analysis/keymap.h"

#include <libelf.h>
#include <stdbool.h>

struct imports {
	struct keymap slots; /* address of a slot of the GOT: number */
	struct keymap stubs; /* address of its stub in the PLT */
};

/* `number_of` gives the number of a function that is wanted, else 0. */
void imports_init(struct imports *im, Elf *elf,
		  uint32_t (*number_of)(const char *name));
void imports_done(struct imports *im);

enum import_call { IMPORT_CALL5, IMPORT_JUMP5, IMPORT_CALL6 };

/* The number of the function that an instruction at `address` calls or jumps
 * to, and how; 0: none that is wanted. */
uint32_t imports_called(struct imports *im, const uint8_t *bytes, size_t size,
			uint64_t address, enum import_call *how);

/* Is this the header of a section of stubs? `names`: of the section names. */
bool imports_is_stubs(Elf *elf, size_t names, uint32_t name);

#endif
