/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VISITS_H
#define HEDDLE_VISITS_H

/*
 * How often has a thread stood at a site? A step of a schedule names its place
 * by thread, site and this count, which depends on what the thread did and not
 * on when others ran in between; so most of a schedule keeps its meaning when
 * a part of it is taken out.
 */

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Counts one more visit and returns how many there were, this one included. */
uint32_t visit_count(uint32_t thread, uint32_t site);

/* Counts from the beginning again. */
void visits_forget(void);

#pragma GCC visibility pop

#endif
