/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OPENMP_H
#define HEDDLE_OPENMP_H

/*
 * The threads of an OpenMP runtime wait for each other by system calls of their
 * own, which nobody can stand in front of. A program that starts them is not
 * controlled half-way: its run ends there and says so.
 */

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* A thread is about to be created by the code at `pc`. */
void openmp_refuse(struct thread *t, uintptr_t pc);

#pragma GCC visibility pop

#endif
