/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ENDING_H
#define HEDDLE_ENDING_H

/*
 * Ends of a run under control that the program itself brings about: a failed
 * assertion, abort, an exception that nobody catches, a fault, exit.
 *
 * They are told (control_tell) where they happen, and then happen: the message
 * on standard error, the core dump and the status that the parent sees are what
 * they would have been. Other threads stand still meanwhile; nothing here waits
 * for any of them.
 *
 * Faults are seen by a handler of ours wherever the program has left the
 * default action in place. The program does not see it (signal.c). It runs on
 * an alternate stack that every thread gets, so that a stack that is too deep
 * can be told as well.
 */

#include "runtime/runtime.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

/* Before the first run: what every run inherits. */
void ending_prepare(void);

/* In a new thread, which has the turn or waits for it. */
void ending_thread_begin(uint32_t number);

/* The kernel's handler of faults, and whether a signal is one of them. */
void ending_fault(int signal, siginfo_t *info, void *machine);
bool ending_is_fault(int signal);

/* As the kernel has it where the program wants the default action. */
void ending_action(struct sigaction *act);

/* Puts the default action in place, for the kernel to carry out. */
void ending_default(int signal);

/* A signal whose default action ends the program is about to be raised. */
void ending_tell_signal(struct thread *t, const siginfo_t *info, uintptr_t pc);

/* The program ends with this status; notes who wanted it where. */
void ending_tell_exit(int status, uintptr_t pc);

/* The process ends as soon as this returns. Under control that is a point: what
 * other threads still do happens before. */
void ending_come(void);

#pragma GCC visibility pop

#endif
