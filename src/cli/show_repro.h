/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SHOW_REPRO_H
#define HEDDLE_SHOW_REPRO_H

/*
 * A kept failure for people: what was run, how it ended, and the interleaving
 * as a table; or the rules, of one that is kept by rules. What the repro says
 * may be a stranger's, and gives the terminal no commands.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Is there a kept failure of that name? */
bool show_repro_is(const char *store, const char *name);

MUST_USE int show_repro(const char *store, const char *name, bool is_colourful,
			bool shows_all, FILE *out, struct err *err);

#endif
