/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CHANCE_H
#define HEDDLE_CHANCE_H

/*
 * What a program could tell two runs apart by, apart from time: random numbers
 * of the kernel and of the processor, the ids of processes and threads, the
 * number of processors and which of them it runs on, names of temporary files,
 * how much the machine has to do. Under control all of them are the same in
 * every run, and do not depend on the seed: a schedule alone says what a run
 * does.
 *
 * Random bytes are a stream for each thread, so that one thread's do not depend
 * on how often another one asked.
 *
 * Ids. The process and its threads have ids that no process can have, above
 * the kernel's largest. Functions that take an id take these too; processes
 * that the program forks have their real ones, and see their parent under the
 * id it knows itself by.
 *
 * Not covered: the times of files, which are the system's (in their own order,
 * but not on the program's clock); what /proc tells (a note tells if that
 * differs); rdrand in the program's own code (a note tells, see
 * chance_counter.h); cpuid, which differs between processors only in their
 * numbers; the words that libc drew at its start (the stack protector's, the
 * pointer guard), which are the same in all runs of one server and differ
 * between servers.
 */

#include "runtime/control.h"

#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* In the run, before main. */
void chance_begin(void);
void chance_ids_begin(void);

/* Bytes of the calling thread's stream. */
void chance_fill(struct thread *t, void *to, size_t size);

/* For wrappers of open: a descriptor in place of a device of random numbers,
 * or -1 when it is no such path. The thread is inside. */
int chance_open(const struct thread *t, const char *path, int flags);

/* A path as the kernel knows it: below /proc the program's ids are others. It
 * is in `room` then. */
enum { CHANCE_PATH = 256 };
const char *chance_path(const char *path, char room[CHANCE_PATH], uintptr_t pc);

/* The id as the kernel has it, of one as the program has it. Others, and the
 * ids of groups (below 0), are treated alike. */
pid_t chance_pid_real(pid_t id);

/* The other way round. */
pid_t chance_pid_seen(pid_t id);

#pragma GCC visibility pop

#endif
