/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PERTURB_H
#define HEDDLE_PERTURB_H

/*
 * A perturbed run: threads run freely on all processors, nothing is recorded
 * and nobody has a turn. At the sites that rules name (forcing.h) a thread may
 * have to sleep for a while, so that another one comes first.
 *
 * Nearly all other hooks are taken out of the program's code before its main
 * begins (perturb_prepare): the tool has found the calls by disassembly and
 * lists them in the region; those whose bytes are not as expected stay. Hooks
 * of atomic accesses do the access themselves and are never touched.
 */

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

extern bool perturbing;

/* In the server, or the process that is the run, before main. */
void perturb_prepare(void);

/* In the process that is the run. */
void perturb_begin(void);

/* An access is about to happen. The thread is not inside. */
void perturb_access(struct thread *t, uintptr_t addr, size_t size,
		    enum event_kind kind, uintptr_t pc);

/* An operation of synchronisation is about to be tried that takes something,
 * and may have to wait for it. */
void perturb_before(enum event_kind kind, const volatile void *object,
		    uintptr_t pc);

/* It was done; or one that gives something is about to be. */
void perturb_event(struct thread *t, enum event_kind kind,
		   const volatile void *object, uint64_t arg, uintptr_t pc);

/* The hash of a thread's calls, if rules ask for it; else 0. */
uint32_t perturb_stack(const struct thread *t);

/* Memory that is about to be freed. */
void perturb_poison(void *block, size_t size);

#pragma GCC visibility pop

#endif
