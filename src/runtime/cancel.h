/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CANCEL_H
#define HEDDLE_CANCEL_H

/*
 * Cancellation under control. libc's own would act wherever the kernel finds
 * the thread: in a real call, without the turn. So pthread_cancel only notes
 * that the thread is to end, and wakes it if it waits; the thread itself tells
 * libc, when it has the turn, and libc does the rest (cleanup handlers, C++
 * destructors, thread-specific data), still with the turn.
 *
 * A wait that is a cancellation point does two things. Its predicate is also
 * true when cancel_is_pending; and when the wait is over, for whatever reason,
 * it puts everything into the state in which cleanup handlers expect it (the
 * mutex of a condition is taken again) and calls cancel_act:
 *
 *	static bool can_go(uint32_t number, uint64_t object)
 *	{
 *		return cancel_is_pending(number) || is_above_0(object);
 *	}
 *
 * A real call that is a cancellation point calls cancel_act before it gives
 * the turn away, and when it has it again and the call was of no avail.
 *
 * Cancellation that is asynchronous acts at the thread's next point.
 *
 * All of it is called by the thread that has the turn.
 */

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* Is the thread to be cancelled, and does it let itself be? */
bool cancel_is_pending(uint32_t number);

/* If so the thread, which is the calling one, ends here: this does not return,
 * and whatever the guest counts of its being inside is forgotten. The frames
 * of wrappers are unwound, so what must be undone needs a cleanup attribute. */
void cancel_act(struct thread *t);

/* The thread has the turn after a point at which it was disturbed: tells libc,
 * and if its cancellation is asynchronous, acts. */
void cancel_at_point(struct thread *t);

/* A thread lets itself be cancelled anywhere: so there must be points even
 * where it is alone with its memory. */
extern bool cancel_anywhere;

/* Thread `number`, which is about to begin, is not cancelled. */
void cancel_begin(uint32_t number);

/* pthread_cancel under control, of a thread that is known. */
void cancel_ask(struct thread *t, uint32_t number, uintptr_t pc);

#pragma GCC visibility pop

#endif
