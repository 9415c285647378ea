/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/real.h"
#include "runtime/values.h"

#include <errno.h>

/* Whoever finds the lock taken waits for it as for any other lock: spinning
 * would only use up points. On x86 the word is 1 when the lock is free. */

static bool can_lock(uint32_t number, uint64_t object)
{
	(void)number;
	return *(const volatile int *)object > 0;
}

/* A spin lock does not tell whether processes share it; those that do are
 * remembered, as far as there is room. */
enum { SHARED_MOST = 64 };

static const volatile void *shared[SHARED_MOST];

static bool is_apart(const pthread_spinlock_t *lock)
{
	for (int i = 0; i < SHARED_MOST; i++)
		if (shared[i] == lock)
			return model_is_apart(true);
	return false;
}

void model_spin_init(const pthread_spinlock_t *lock, bool is_shared)
{
	int room = -1;

	for (int i = 0; i < SHARED_MOST; i++) {
		if (shared[i] == lock)
			shared[i] = NULL;
		if (!shared[i])
			room = i;
	}
	if (is_shared && room >= 0)
		shared[room] = lock;
}

/* The thread is inside. */
static void spin_await(struct thread *t, pthread_spinlock_t *lock, uintptr_t pc)
{
	if (is_apart(lock))
		model_await_apart(t, lock, pc, can_lock, NO_DEADLINE);
	else
		turn_await(t, EVENT_SPIN_LOCK, lock, pc, can_lock, NO_DEADLINE);
}

int model_spin_lock(pthread_spinlock_t *lock, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_spin_lock(lock);
	guest_enter(t);
	do
		spin_await(t, lock, pc);
	while ((rc = real.pthread_spin_trylock(lock)) == EBUSY);
	turn_hold(t, EVENT_SPIN_LOCK, lock, pc);
	turn_touch(lock);
	guest_leave(t);
	return rc;
}

int model_spin_trylock(pthread_spinlock_t *lock, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_spin_trylock(lock);
	guest_enter(t);
	turn_point(t, EVENT_SPIN_LOCK, lock, pc);
	values_kind(t, EVENT_MUTEX_FAIL);
	rc = real.pthread_spin_trylock(lock);
	if (rc == 0) {
		turn_hold(t, EVENT_SPIN_LOCK, lock, pc);
		turn_touch(lock);
	}
	guest_leave(t);
	return rc;
}

int model_spin_unlock(pthread_spinlock_t *lock, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_spin_unlock(lock);
	guest_enter(t);
	turn_point(t, EVENT_SPIN_UNLOCK, lock, pc);
	rc = real.pthread_spin_unlock(lock);
	turn_drop(t, lock);
	turn_touch(lock);
	guest_leave(t);
	return rc;
}
