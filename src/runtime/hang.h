/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HANG_H
#define HEDDLE_HANG_H

/*
 * A run that makes no points any more for as long as the tool allows: the
 * thread that has the turn is in a loop that the compiler left no access in
 * (`while (!flag);` with the flag in a register), or it computes for long.
 * Nobody in the process can notice.
 *
 * So whoever watches the run asks: a signal to that thread, which tells where
 * it is and ends the run. If it does not answer (the program blocks or handles
 * that signal) it is ended without a place.
 *
 * By the same signal a thread is asked whether it is deaf (format/watchdog.h).
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* Before the first run; those that are forked have the action too. */
void hang_begin(void);

/* In the server: asks the thread that has the turn. */
void hang_ask(long pid);

#pragma GCC visibility pop

#endif
