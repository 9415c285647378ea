/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CODE_CHECKS_H
#define HEDDLE_CODE_CHECKS_H

/*
 * Which accesses a program's own checks depend on, guessed from its code: the
 * hooks that are called within a few blocks before a call of assert's failure
 * or of abort, in the same function. What they read is most likely what is
 * checked; a guess that is wrong costs an order of runs and nothing else.
 */

#include "analysis/keymap.h"
#include "format/region.h"

/* Adds the sites of the modules with hooks that are loaded. */
void code_checks_find(const struct region *region, struct keymap *sites);

#endif
