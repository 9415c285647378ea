/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SIGNALS_H
#define HEDDLE_SIGNALS_H

/*
 * Signals of the program. The kernel knows our trampoline in place of each
 * handler; the handler itself stands in a table. Whoever asks for the action
 * gets the program's handler back. Only functions are kept there: that a signal
 * is ignored, or has its default action, is left to the kernel. So an entry
 * always tells what to run once the kernel has decided to run the trampoline,
 * even while another thread is changing the action.
 *
 * Idle nothing of this happens: a trampoline is installed only while
 * recording. A forked child inherits it, and the table.
 */

#include "runtime/runtime.h"

#include <signal.h>

enum { SIGNALS = 64 };

/* A handler, and the flags that the kernel is not told: its own SA_SIGINFO
 * would hide the program's, and SA_RESETHAND would take effect when a signal
 * is put off. No address of code has these bits. */
#define ENTRY_SIGINFO (UINT64_C(1) << 62)
#define ENTRY_RESETHAND (UINT64_C(1) << 63)
#define ENTRY_HANDLER (ENTRY_SIGINFO - 1)

static inline uint64_t signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* signal.c: the entry of a signal whose trampoline runs. If it was to run once
 * only, the default action is back in place afterwards. */
uint64_t signal_take(int signal);

/* signal_run.c: what the kernel calls. */
void signal_trampoline(int signal, siginfo_t *info, void *machine);

/* signal_run.c: the thread is about to continue with this stack pointer, by a
 * jump: handlers it leaves that way are over. */
void signal_unwind(struct thread *t, uintptr_t frame);

#endif
