/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ARRIVAL_H
#define HEDDLE_ARRIVAL_H

/*
 * Signals that came from outside and were kept by the trampoline, until the
 * thread that has the turn takes notice. There is room for a few hundred; the
 * kernel too forgets signals when too many come at once.
 *
 * arrival_put is called in handlers, by any thread; the rest by the thread that
 * has the turn.
 */

#include "runtime/runtime.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

struct arrival {
	_Atomic uint32_t is_there;
	uint32_t thread; /* that it came to */
	siginfo_t info;
};

void arrival_put(uint32_t thread, const siginfo_t *info);

/* The oldest, of this number or (0) of any. */
bool arrival_take(int signal, struct arrival *taken);

#pragma GCC visibility pop

#endif
