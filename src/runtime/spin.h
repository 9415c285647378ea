/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SPIN_H
#define HEDDLE_SPIN_H

/*
 * Spinning: threads that go on without getting anywhere.
 *
 * Shared state changes when somebody writes, or changes an object that others
 * may stand before; `spin_changes` counts that. (A lock that is taken and let
 * go again changes nothing in the end; locks are therefore no number but a
 * state, a hash over who holds what.) A thread that comes back to a place with
 * the same registers and the same stack, and in between neither anything
 * changed nor it wrote anything itself, will come back there for ever, or
 * until another thread changes something: it is *proven* to spin. That gives
 * it away to others at every point. A thread that passes one place many times,
 * with something else on its stack each time, is given a longer while.
 *
 * When every thread is blocked or proven to spin, and nobody sleeps, is in a
 * real call or expects an alarm, nothing can change any more. Before that is
 * said, everybody goes round once more, and what no hook tells of (memory of
 * libraries that the compiler's hooks do not reach) is compared as a whole. A
 * verdict is therefore never a guess: a loop that counts its rounds, in a
 * register or anywhere else, is no livelock but runs into the limit of points.
 *
 * A sleeper that goes round its loop is proven to spin in the same way, and so
 * a deadlock beside it is found.
 *
 * All functions are called by the thread that has the turn, inside the guest.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* Changes of shared state so far. */
extern uint64_t spin_changes;

static inline void spin_change(void)
{
	spin_changes++;
}

/* The registers that belong to the caller, as they were when the holder came
 * to the turn (spin_entry.c). */
extern struct spin_frame {
	uint64_t saved[6]; /* rbx, rbp, r12 to r15 */
	uintptr_t stack;   /* there the return address lies */
} spin_frame;

/* The run begins; what lies above `top` on the main stack does not change. */
void spin_begin(uintptr_t top);
extern uintptr_t spin_main_top;

/* Thread t stands before something: does it spin, so that others should go
 * first? Does not return when nothing else is left. */
bool spin_stands(struct thread *t);

/* Thread t goes on with an event of this kind. */
void spin_goes_on(enum event_kind kind);

/* Only time ended the wait of thread `number` before an event of this kind.
 * Does not return when the sleepers are found to go round in vain. */
void spin_fired(uint32_t number, enum event_kind kind);

/* Thread `number` got a lock, or let it go. */
void spin_lock(uint32_t number, uintptr_t object);
void spin_unlock(uint32_t number, uintptr_t object);

/* An object changed, as turn_touch says. */
void spin_touch(uintptr_t object);

/* Can only time make a difference: is every thread that could go on proven to
 * spin? */
bool spin_is_all(void);

/* Is thread `number` proven to spin? */
bool spin_is_proven(uint32_t number);

/* Does some thread wait for a mutex that it holds itself, and that is no gate?
 */
bool spin_is_self_locked(void);

/* Another thread than its holder unlocked this mutex. It is a gate: who waits
 * for it, and took it last, waits to be let through. */
void spin_gate(uintptr_t object);

/* A thread that blocks now, without a time set: is it in a ring of threads that
 * wait for each other's locks? With `joins` also for each other's ends. */
bool spin_is_ring(uint32_t number, bool joins);

/* What to say when thread t has come to the limit of points. */
const char *spin_limit_text(const struct thread *t);

/* An access that is no point. One of very many may be looked at, because a loop
 * of such accesses might never end. */
enum { SPIN_UNSEEN = 1 << 20 };

extern uint32_t spin_unseen_count;
void spin_look_unseen(struct thread *t, enum event_kind kind,
		      const volatile void *object, uintptr_t pc);

static inline void spin_unseen(struct thread *t, enum event_kind kind,
			       const volatile void *object, uintptr_t pc)
{
	if (unlikely(++spin_unseen_count >= SPIN_UNSEEN))
		spin_look_unseen(t, kind, object, pc);
}

/* For several times as many as that, whoever had the turn has made such
 * accesses alone, and nobody else has come to a point. */
bool spin_is_unseen(void);

/* spin_memory.c: a hash over everything the process could remember in, but for
 * the stacks of its threads and what is the guest's. */
uint64_t spin_memory(void);

#pragma GCC visibility pop

#endif
