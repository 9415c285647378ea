/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STRANGERS_H
#define HEDDLE_STRANGERS_H

/*
 * Threads of this process that nobody under control has heard of: a
 * constructor started them before control began. They run free until they come
 * to a point. Until then they belong to the world outside: what the others wait
 * for may come from them.
 */

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Is there a thread of this process, by its id in the kernel, that is so? */
bool strangers_any(bool (*is_so)(uint32_t tid));

/* Has this process one thread only? Asked before control begins. */
bool strangers_are_none(void);

/* Control has begun, and there were others. */
void strangers_expect(void);

/* Are there any left that never came to a point? Asks the kernel; the caller
 * has the turn. */
bool strangers_live(void);

#pragma GCC visibility pop

#endif
