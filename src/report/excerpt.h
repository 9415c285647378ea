/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXCERPT_H
#define HEDDLE_EXCERPT_H

/*
 * The source around the places of a witness, as it is now on disk: for each
 * file the lines that are named with some on both sides. A file of a few pages
 * comes out whole, one of which nothing can be read not at all.
 */

#include "report/witness.h"

#include <jansson.h>

/* [{"file": path, "line": number of the first, "lines": [text, ...]}, ...] by
 * file and line. `directory`: where relative paths begin; NULL: here. */
json_t *excerpt_json(const struct witness *w, const char *directory);

#endif
