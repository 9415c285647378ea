/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TESTED_H
#define HEDDLE_TESTED_H

/*
 * What heddle test did: for each program and arguments the last time it was
 * tested, as a file of JSON (docs/formats.md, "Tests"):
 *
 *	.heddle/tests/<program>-<hash of its arguments>.json
 *
 * Others read it for a report, so it is written whole or not at all.
 */

#include "base/err.h"

#include <jansson.h>

/* Replaces what was known of this command. `test` is an object; it stays the
 * caller's. */
MUST_USE int tested_save(const char *store, char *const *argv,
			 const json_t *test, struct err *err);

/* All of them, by name; an array that the caller gives back. Files that are no
 * such thing are passed over. */
json_t *tested_list(const char *store);

#endif
