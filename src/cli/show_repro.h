/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SHOW_REPRO_H
#define HEDDLE_SHOW_REPRO_H

/*
 * A kept failure for people: what was run, how it ended, and the interleaving
 * as a table.
 */

#include "base/err.h"

#include <stdbool.h>

/* Is there a kept failure of that name? */
bool show_repro_is(const char *store, const char *name);

MUST_USE int show_repro(const char *store, const char *name, bool is_colourful,
			bool shows_all, struct err *err);

#endif
