/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CODE_FUNCTIONS_H
#define HEDDLE_CODE_FUNCTIONS_H

/*
 * The functions of a file by its symbol table, in the order of their addresses
 * and each once, by whatever names it has. A function without a symbol is not
 * among them.
 */

#include <libelf.h>
#include <stdint.h>

void code_functions(Elf *elf,
		    void (*look)(void *with, const uint8_t *code, size_t size,
				 uint64_t address),
		    void *with);

#endif
