/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program was when something happened in code that is not its own: a
 * function of libc, or the guest looking at memory for it.
 */
#ifndef HEDDLE_PLACE_H
#define HEDDLE_PLACE_H

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* Finds the program in memory. */
void place_prepare(void);

/* The address in the program's code that led to `pc`: `pc` itself, or what the
 * call out of the program returns to; `pc` too when that is not to be found.
 * `sp` is the stack pointer there. Made for handlers of signals: takes its time
 * and some kilobytes of stack, and locks nothing. */
uintptr_t place_of(const struct thread *t, uintptr_t pc, uintptr_t sp);

/* Called first in a handler of faults: one that place_of itself met, on a stack
 * that leads nowhere, ends its search, and this does not return. */
void place_fault(void);

#pragma GCC visibility pop

#endif
