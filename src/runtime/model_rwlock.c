/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/real.h"
#include "runtime/timing.h"
#include "runtime/values.h"

#include <errno.h>

/*
 * The real lock is taken when that succeeds at once, or is refused. What the
 * real lock cannot know is who waits in the model; that matters to the kind
 * PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP alone, where readers stay behind
 * a writer that waits. (libc treats the other two kinds as one.) For that kind
 * arriving and finding the lock taken is an event of its own: until then the
 * writer holds nobody up.
 */

enum {
	/* Of __data.__readers: above this the number of readers. */
	READER_SHIFT = 3,
};

/* The lock each writer waits for, when readers stay behind it. */
static const volatile void *queued[CONTROL_THREADS];

static bool is_apart(const pthread_rwlock_t *lock)
{
	return model_is_apart(lock->__data.__shared);
}

static bool prefers_writers(const pthread_rwlock_t *lock)
{
	return lock->__data.__flags ==
	       PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool is_writer(const pthread_rwlock_t *lock, uint32_t number)
{
	return lock->__data.__cur_writer ==
	       (int)region->threads[number].kernel_tid;
}

static bool is_queued_for(const pthread_rwlock_t *lock)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (queued[n] == lock)
			return true;
	return false;
}

/* The thread may have it, or will be told of its own deadlock. */
static bool can_read(uint32_t number, uint64_t object)
{
	const pthread_rwlock_t *lock = (const pthread_rwlock_t *)object;

	if (lock->__data.__cur_writer)
		return is_writer(lock, number);
	if (prefers_writers(lock))
		values_unmodelled(EVENT_RWLOCK_RDLOCK);
	return !prefers_writers(lock) || !is_queued_for(lock);
}

static bool can_write(uint32_t number, uint64_t object)
{
	const pthread_rwlock_t *lock = (const pthread_rwlock_t *)object;

	if (lock->__data.__cur_writer)
		return is_writer(lock, number);
	return !(lock->__data.__readers >> READER_SHIFT);
}

static void taken(struct thread *t, enum event_kind kind,
		  pthread_rwlock_t *lock, int rc, uintptr_t pc)
{
	if (rc)
		return;
	turn_hold(t, kind, lock, pc);
	turn_touch(lock);
}

/* ---- shared with other processes ---- */

static int rdlock_real(pthread_rwlock_t *lock, clockid_t which,
		       const struct timespec *until)
{
	return until ? real.pthread_rwlock_clockrdlock(lock, which, until) :
		       real.pthread_rwlock_rdlock(lock);
}

static int wrlock_real(pthread_rwlock_t *lock, clockid_t which,
		       const struct timespec *until)
{
	return until ? real.pthread_rwlock_clockwrlock(lock, which, until) :
		       real.pthread_rwlock_wrlock(lock);
}

/* Somebody else may have it when we are back. The thread is inside. */
static int lock_apart(struct thread *t, pthread_rwlock_t *lock, bool writes,
		      uint64_t deadline, uintptr_t pc)
{
	int rc;

	do {
		rc = model_await_apart(t, lock, pc,
				       writes ? can_write : can_read, deadline);
		if (rc == ETIMEDOUT)
			return rc;
		if (is_writer(lock, t->number))
			return EDEADLK;
		rc = writes ? real.pthread_rwlock_trywrlock(lock) :
			      real.pthread_rwlock_tryrdlock(lock);
	} while (rc == EBUSY);
	return rc;
}

/* ---- reading ---- */

int model_rwlock_rdlock(pthread_rwlock_t *lock, clockid_t which,
			const struct timespec *until, uintptr_t pc)
{
	struct thread *t = guest_self();
	uint64_t deadline = NO_DEADLINE;
	int rc = ETIMEDOUT;

	if (!t || (until && !model_is_time(which, until)))
		return rdlock_real(lock, which, until);
	if (until)
		deadline = timing_deadline(which, until);
	guest_enter(t);
	if (is_apart(lock))
		rc = lock_apart(t, lock, false, deadline, pc);
	else if (model_await(t, EVENT_RWLOCK_RDLOCK, lock, pc, can_read,
			     deadline))
		rc = real.pthread_rwlock_rdlock(lock);
	taken(t, EVENT_RWLOCK_RDLOCK, lock, rc, pc);
	guest_leave(t);
	return rc;
}

int model_rwlock_tryrdlock(pthread_rwlock_t *lock, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc = EBUSY;

	if (!t)
		return real.pthread_rwlock_tryrdlock(lock);
	guest_enter(t);
	turn_point(t, EVENT_RWLOCK_FAIL, lock, pc);
	values_number(t, 1, NO_THREAD);
	if (is_apart(lock) || prefers_writers(lock))
		values_unmodelled(EVENT_RWLOCK_FAIL);
	if (can_read(t->number, (uintptr_t)lock))
		rc = real.pthread_rwlock_tryrdlock(lock);
	taken(t, EVENT_RWLOCK_RDLOCK, lock, rc, pc);
	guest_leave(t);
	return rc;
}

/* ---- writing ---- */

/* False: time is up. The thread is inside. */
static bool queue_for(struct thread *t, pthread_rwlock_t *lock,
		      uint64_t deadline, uintptr_t pc)
{
	bool can;

	turn_point(t, EVENT_RWLOCK_WRLOCK, lock, pc);
	if (can_write(t->number, (uintptr_t)lock))
		return true;
	queued[t->number] = lock;
	turn_touch(lock);
	can = model_await(t, EVENT_RWLOCK_WRLOCK, lock, pc, can_write,
			  deadline);
	queued[t->number] = NULL;
	turn_touch(lock);
	return can;
}

static bool wrlock_await(struct thread *t, pthread_rwlock_t *lock,
			 uint64_t deadline, uintptr_t pc)
{
	if (prefers_writers(lock))
		return queue_for(t, lock, deadline, pc);
	return model_await(t, EVENT_RWLOCK_WRLOCK, lock, pc, can_write,
			   deadline);
}

int model_rwlock_wrlock(pthread_rwlock_t *lock, clockid_t which,
			const struct timespec *until, uintptr_t pc)
{
	struct thread *t = guest_self();
	uint64_t deadline = NO_DEADLINE;
	int rc = ETIMEDOUT;

	if (!t || (until && !model_is_time(which, until)))
		return wrlock_real(lock, which, until);
	if (until)
		deadline = timing_deadline(which, until);
	guest_enter(t);
	if (is_apart(lock))
		rc = lock_apart(t, lock, true, deadline, pc);
	else if (wrlock_await(t, lock, deadline, pc))
		rc = real.pthread_rwlock_wrlock(lock);
	taken(t, EVENT_RWLOCK_WRLOCK, lock, rc, pc);
	guest_leave(t);
	return rc;
}

int model_rwlock_trywrlock(pthread_rwlock_t *lock, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_rwlock_trywrlock(lock);
	guest_enter(t);
	turn_point(t, EVENT_RWLOCK_FAIL, lock, pc);
	if (is_apart(lock))
		values_unmodelled(EVENT_RWLOCK_FAIL);
	rc = real.pthread_rwlock_trywrlock(lock);
	taken(t, EVENT_RWLOCK_WRLOCK, lock, rc, pc);
	guest_leave(t);
	return rc;
}

int model_rwlock_unlock(pthread_rwlock_t *lock, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_rwlock_unlock(lock);
	guest_enter(t);
	turn_point(t, EVENT_RWLOCK_UNLOCK, lock, pc);
	rc = real.pthread_rwlock_unlock(lock);
	turn_drop(t, lock);
	turn_touch(lock);
	guest_leave(t);
	return rc;
}
