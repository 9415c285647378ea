/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATED_KEEP_H
#define HEDDLE_LOCATED_KEEP_H

/*
 * What was located is left beside the failure, as text and as JSON, for whoever
 * reads it next (docs/formats.md, "What was located"); and what was confirmed
 * makes for a better signature (regress/derive.h).
 */

#include "locate/locate.h"

/* Warns, if it cannot be written. */
void located_keep(const struct located *l, const char *store);

#endif
