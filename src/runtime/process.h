/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROCESS_H
#define HEDDLE_PROCESS_H

/*
 * Which process is this? The observed one; a child of it, which is idle; or a
 * lodger: a child of vfork, that lives in the observed one's memory, on its
 * thread and its stack, until it calls exec or _exit. What a lodger does to
 * memory is rightly recorded as the thread's. What it does to itself is not.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on this process is the one. */
void process_resides(void);

/* What of that can be done before; also by the server, for its runs. */
void process_prepare(void);

/* Under control: the thread that has the turn is about to start a process,
 * which will run free; and has done so, or failed. */
void process_starts(uintptr_t pc);
void process_started(void);

/* A system call that makes a child in memory of its own. */
pid_t process_fork_raw(long number, const long *arguments, uintptr_t pc);

/* One that makes a thread, or a process in the same memory, is let pass and
 * told. */
__attribute__((visibility("hidden"), used)) void process_shares_memory(void);

/* The orderly end, after all that the program does on its way out. */
__attribute__((visibility("hidden"))) void process_end(void);

/* How many were started. */
uint32_t process_children(void);

bool process_is_observed(void);
bool process_is_lodger(void);

#endif
