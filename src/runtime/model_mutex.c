/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/real.h"
#include "runtime/timing.h"
#include "runtime/values.h"

#include <errno.h>
#include <linux/futex.h>

/*
 * The real mutex is locked when that will succeed at once, or fail for a reason
 * that waiting would not change. So types, owners that died and every error are
 * libc's own.
 *
 * The kernel marks the robust mutexes of a thread when the thread is gone,
 * which is some time after its last step under control. Such a mutex counts as
 * free from that step on, and whoever takes it waits for the kernel: the thread
 * that it waits for has nothing left to do but to go.
 */

/* Bits of pthread_mutex_t.__data.__kind, as in sync_mutex.c. */
enum {
	KIND_TYPE = 3,
	KIND_ROBUST = 16,
	KIND_INHERIT = 32,
	KIND_PROTECT = 64,
	KIND_SHARED = 128,
};

/* What a mutex with a ceiling has besides the ceiling in its word. */
enum { PROTECT_STATE = 0x7ffff };

static bool is_apart(const pthread_mutex_t *mutex)
{
	return model_is_apart(mutex->__data.__kind & KIND_SHARED);
}

static bool is_left_behind(const pthread_mutex_t *mutex)
{
	int owner = mutex->__data.__lock & FUTEX_TID_MASK;

	return mutex->__data.__kind & KIND_ROBUST && owner &&
	       model_is_over(owner);
}

static bool is_free(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind, lock = mutex->__data.__lock;

	if (kind & (KIND_ROBUST | KIND_INHERIT))
		return !(lock & FUTEX_TID_MASK);
	if (kind & KIND_PROTECT)
		return !(lock & PROTECT_STATE);
	return !lock;
}

static bool is_owner(const pthread_mutex_t *mutex, uint32_t number)
{
	return mutex->__data.__owner == (int)region->threads[number].kernel_tid;
}

/* The thread may have it, or will be refused at once. */
static bool can_lock(uint32_t number, uint64_t object)
{
	const pthread_mutex_t *mutex = (const pthread_mutex_t *)object;
	int kind = mutex->__data.__kind & KIND_TYPE;

	if (is_free(mutex) || is_left_behind(mutex))
		return true;
	if (kind != PTHREAD_MUTEX_RECURSIVE && kind != PTHREAD_MUTEX_ERRORCHECK)
		return false;
	return is_owner(mutex, number);
}

static void taken(struct thread *t, pthread_mutex_t *mutex, int rc,
		  uintptr_t pc)
{
	if (rc != 0 && rc != EOWNERDEAD)
		return;
	turn_hold(t, EVENT_MUTEX_LOCK, mutex, pc);
	turn_touch(mutex);
}

/* ---- shared with other processes ---- */

/* Somebody else may have it when we are back. The thread is inside. */
static int lock_apart(struct thread *t, pthread_mutex_t *mutex,
		      uint64_t deadline, uintptr_t pc)
{
	int rc;

	do {
		rc = model_await_apart(t, mutex, pc, can_lock, deadline);
		if (rc == ETIMEDOUT)
			return rc;
		rc = real.pthread_mutex_trylock(mutex);
	} while (rc == EBUSY && !is_owner(mutex, t->number));
	return rc == EBUSY ? real.pthread_mutex_lock(mutex) : rc;
}

/* ---- for conditions as well ---- */

int model_mutex_take(struct thread *t, pthread_mutex_t *mutex,
		     uint64_t deadline, uintptr_t pc)
{
	int rc = ETIMEDOUT;

	if (is_apart(mutex))
		rc = lock_apart(t, mutex, deadline, pc);
	else if (model_await(t, EVENT_MUTEX_LOCK, mutex, pc, can_lock,
			     deadline))
		rc = real.pthread_mutex_lock(mutex);
	taken(t, mutex, rc, pc);
	return rc;
}

int model_mutex_let_go(struct thread *t, pthread_mutex_t *mutex)
{
	int rc = real.pthread_mutex_unlock(mutex);

	if (rc == 0) {
		turn_drop(t, mutex);
		turn_touch(mutex);
	}
	return rc;
}

/* ---- the functions ---- */

int model_mutex_lock(pthread_mutex_t *mutex, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_mutex_lock(mutex);
	guest_enter(t);
	rc = model_mutex_take(t, mutex, NO_DEADLINE, pc);
	guest_leave(t);
	return rc;
}

/* Whatever the state of the mutex, this does not wait. */
static int clocklock_refused(struct thread *t, pthread_mutex_t *mutex,
			     clockid_t which, const struct timespec *until,
			     uintptr_t pc)
{
	int rc;

	guest_enter(t);
	turn_point(t, EVENT_MUTEX_FAIL, mutex, pc);
	rc = real.pthread_mutex_clocklock(mutex, which, until);
	taken(t, mutex, rc, pc);
	guest_leave(t);
	return rc;
}

int model_mutex_clocklock(pthread_mutex_t *mutex, clockid_t which,
			  const struct timespec *until, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_mutex_clocklock(mutex, which, until);
	if (!model_is_time(which, until))
		return clocklock_refused(t, mutex, which, until, pc);
	guest_enter(t);
	rc = model_mutex_take(t, mutex, timing_deadline(which, until), pc);
	guest_leave(t);
	return rc;
}

int model_mutex_trylock(pthread_mutex_t *mutex, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_mutex_trylock(mutex);
	guest_enter(t);
	turn_point(t, EVENT_MUTEX_FAIL, mutex, pc);
	if (is_apart(mutex))
		values_unmodelled(EVENT_MUTEX_FAIL);
	rc = is_left_behind(mutex) ? real.pthread_mutex_lock(mutex) :
				     real.pthread_mutex_trylock(mutex);
	taken(t, mutex, rc, pc);
	guest_leave(t);
	return rc;
}

int model_mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_mutex_unlock(mutex);
	guest_enter(t);
	turn_point(t, EVENT_MUTEX_UNLOCK, mutex, pc);
	rc = model_mutex_let_go(t, mutex);
	guest_leave(t);
	return rc;
}
