/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RESUME_H
#define HEDDLE_RESUME_H

/*
 * Runs that begin in the middle of the program: it came here under control,
 * thread by thread as on no particular schedule, and each run goes on from here
 * with the threads that are there (rebirth.h), on a schedule of its own. Steps,
 * points and visits are counted from here.
 *
 * The memory of the process is copied by fork. What lies in the region is not,
 * and the run before has changed it: it is kept here, and put back. The guest's
 * own memory, which a fork of the program empties, is inherited by runs.
 *
 * All functions are called by the thread that has the turn.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* In the server: NULL, or why runs cannot begin here. */
const char *resume_prepare(struct thread *t);

/* In the child, in place of control_begin. False when it cannot be done. */
bool resume_begin(struct thread *t);

/* Without a fork: this process is the run, from here on. */
void resume_here(void);

#pragma GCC visibility pop

#endif
