/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_THROUGH_H
#define HEDDLE_THROUGH_H

/*
 * std::thread and std::condition_variable call libc from within the C++
 * runtime, which has no hooks: who called them would be lost. The guest stands
 * in front of these functions as well, notes the place, and goes through.
 *
 * To be used by the functions of libc that the C++ runtime calls, in place of
 * CALLER. A handler of a signal that comes meanwhile, and calls libc, is shown
 * at the place of the call that it interrupted.
 */

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* Where the program called the C++ runtime, or 0. */
extern __thread uintptr_t through_pc;

#define CALLER_OF_CXX (unlikely(through_pc) ? through_pc : CALLER)

#pragma GCC visibility pop

#endif
