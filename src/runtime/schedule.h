/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SCHEDULE_H
#define HEDDLE_SCHEDULE_H

/*
 * The schedule of a run: its steps, in shared memory, and a hash over them by
 * which schedules are told apart. Written by the thread that has the turn.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* Thread `thread`, at the place where it stands: `what` was decided, and `to`
 * chosen from so many options. */
void schedule_step(uint32_t thread, enum step_what what, uint32_t to,
		   uint32_t options);

#pragma GCC visibility pop

#endif
