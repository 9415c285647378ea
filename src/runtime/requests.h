/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REQUESTS_H
#define HEDDLE_REQUESTS_H

/*
 * What the program says of its requests and of its state, by heddle.h. See
 * requests.c.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* A run is about to begin: nothing is known. */
void requests_begin(void);

/* Calls the program's summaries, once. The caller has the turn and is inside.
 */
void requests_tell(void);

/* The program ends by itself. */
void requests_end(void);

#pragma GCC visibility pop

#endif
