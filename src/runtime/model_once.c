/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/values.h"

/*
 * The real functions do the work; a thread comes to them when nobody is in the
 * initialiser, so that they do not wait. An initialiser that gives up leaves
 * the object as it was, and the next thread runs it.
 *
 * An initialiser that needs itself waits for itself, as in libc and libstdc++.
 */

enum { ONCE_BUSY = 1 };

static bool can_once(uint32_t number, uint64_t object)
{
	(void)number;
	return !(*(const int *)object & ONCE_BUSY);
}

/* The second byte of a guard. */
static bool can_guard(uint32_t number, uint64_t object)
{
	(void)number;
	return !((const uint8_t *)object)[1];
}

static void enter(const void *object, size_t size, turn_can *can, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_await(t, EVENT_ONCE_PASS, object, pc, can, NO_DEADLINE);
	values_access(t, EVENT_ONCE_PASS, (uintptr_t)object, size, pc);
	guest_leave(t);
}

void model_once_enter(const int *once, uintptr_t pc)
{
	enter(once, sizeof(*once), can_once, pc);
}

void model_guard_enter(const uint64_t *guard, uintptr_t pc)
{
	enter(guard, sizeof(*guard), can_guard, pc);
}

/* The initialiser runs in this thread. */
void model_once_won(const void *object, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	values_settle();
	turn_hold(t, EVENT_ONCE_PASS, object, pc);
	turn_touch(object);
	guest_leave(t);
}

void model_once_point(const void *object, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_point(t, EVENT_ONCE_DONE, object, pc);
	values_access(t, EVENT_ONCE_DONE, (uintptr_t)object, sizeof(int), pc);
	guest_leave(t);
}

void model_once_leave(const void *object)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_drop(t, object);
	turn_touch(object);
	guest_leave(t);
}
