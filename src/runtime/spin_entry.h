/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SPIN_ENTRY_H
#define HEDDLE_SPIN_ENTRY_H

/*
 * The functions behind turn_point and its like, which are called there with the
 * registers of the program kept for spin.c; see spin_entry.c. Nobody else calls
 * them.
 */

#include "runtime/turn.h"

#pragma GCC visibility push(hidden)

void point_here(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc);
enum turn_end await_signal_here(struct thread *t, enum event_kind kind,
				const volatile void *object, uintptr_t pc,
				turn_can *can, uint64_t deadline);
bool await_here(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc, turn_can *can,
		uint64_t deadline);
void yield_here(struct thread *t, uintptr_t pc);
void unseen_here(struct thread *t, enum event_kind kind,
		 const volatile void *object, uintptr_t pc);

#pragma GCC visibility pop

#endif
