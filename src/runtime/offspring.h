/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OFFSPRING_H
#define HEDDLE_OFFSPRING_H

/*
 * Processes that the program started and that still run: they may send it
 * something. One that has ended but was not waited for cannot any more.
 */

#include <stdbool.h>

#pragma GCC visibility push(hidden)

bool offspring_lives(void);

#pragma GCC visibility pop

#endif
