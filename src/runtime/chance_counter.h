/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CHANCE_COUNTER_H
#define HEDDLE_CHANCE_COUNTER_H

/*
 * The processor's time-stamp counter under control. A program that reads it
 * (rdtsc, rdtscp) would see another number in every run, and no function of
 * libc is in between. But a thread can be made to fault there: the guest then
 * answers with virtual time, as for every other clock (timing.h).
 *
 * That is done for programs whose own code, compiled with hooks, has such an
 * instruction; bytes that only look like one cost nothing but a system call a
 * run. Libraries read the real counter if the program does not: the kernel's
 * own (vDSO) always does.
 *
 * Random numbers of the processor (rdrand, rdseed) cannot be made to fault. A
 * program whose own code has such an instruction is told to have it; bytes that
 * are part of a distance within the program, as those of a call, are none.
 *
 * A process that is started would inherit the faults and not the answers, so
 * there are none while a thread starts one. Behind vfork nobody can turn them
 * on again: there the thread reads the real counter from then on, which a note
 * tells if the program has read it before.
 */

#include "runtime/control.h"

#include <signal.h>

#pragma GCC visibility push(hidden)

/* Before the first run: does the program read the counter? */
void counter_prepare(void);

/* In the run, before main. */
void counter_begin(void);

/* The kernel raised a fault: true when it was this, and has been answered. */
bool counter_answers(const siginfo_t *info, void *machine);

/* The calling thread is about to start a process, or become another; and has
 * done so, or failed. */
void counter_let_go(void);
void counter_take_up(void);

/* Nobody will take it up again. */
void counter_is_lost(void);

#pragma GCC visibility pop

#endif
