/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DEBUGGER_H
#define HEDDLE_DEBUGGER_H

/*
 * A kept failure in gdb. gdb starts the program, the guest in it finds the plan
 * in our shared memory and follows it, and stops with SIGTRAP where the run
 * fails, or at the step that was asked for. heddle-gdb.py gives gdb the
 * commands for that; it reads and writes a few numbers of the shared memory,
 * whose places it is told. We wait until gdb ends; the caller holds interrupts,
 * and they are released meanwhile.
 */

#include "store/again.h"

/* Returns the exit status, or -1. */
MUST_USE int debugger_run(struct again *a, struct err *err);

#endif
