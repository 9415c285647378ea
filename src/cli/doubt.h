/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DOUBT_H
#define HEDDLE_DOUBT_H

/*
 * How surely a kept failure comes again, in words. One that has a schedule
 * comes again every time; one that is kept by rules has none, and comes at a
 * rate. Whoever is told of the second must not take it for the first.
 */

#include <stdio.h>

#include "cli/evidence.h"

/* It is kept by rules, which hold threads up: there is no schedule. */
bool doubt_is_at_rate(const struct evidence *e);

/* Lines for people; nothing where there is no doubt. */
void doubt_print(const struct evidence *e, FILE *out);

#endif
