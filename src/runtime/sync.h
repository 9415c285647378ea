/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SYNC_H
#define HEDDLE_SYNC_H

/*
 * What the sync_*.c have in common. A wrapper records a release before the
 * real operation and an acquire after it, so that stamps agree with the order
 * in which an object passed from thread to thread. What did not happen is not
 * recorded as if it had:
 *
 * - a lock that was not taken is a FAIL with the error;
 * - a release must be known to succeed before it is recorded. Unlocking fails
 *   only for a mutex that remembers its owner, and then the owner can be asked
 *   without a race: it names the calling thread or not, and no other thread
 *   can change which. So a MUTEX_FAIL with EPERM is an unlock that failed.
 *
 * A recursive mutex is recorded at every level: LOCK LOCK UNLOCK UNLOCK.
 *
 * During the real operation the thread is not `inside`: it may block, it may be
 * cancelled, and handlers of signals may run.
 *
 * A mutex of C11 is a mutex of pthreads in glibc, and so for conditions.
 */

#include "runtime/perturb.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <errno.h>

/* Records `kind` unless the thread is not to record. */
static inline void sync_record(enum event_kind kind,
			       const volatile void *object, uint64_t arg,
			       uintptr_t pc)
{
	struct thread *t = guest_self();

	if (t)
		record(t, kind, object, 0, arg, pc);
}

/* What may have to wait for an object is about to be tried. Under control the
 * models say so themselves. */
static inline void sync_before(enum event_kind kind,
			       const volatile void *object, uintptr_t pc)
{
	if (unlikely(perturbing))
		perturb_before(kind, object, pc);
}

/* The result of an attempt to take a mutex: 0, or an error. `how`: LOCK_TRIED
 * for one that would not have waited, else 0. */
static inline void mutex_attempted(const pthread_mutex_t *mutex, int rc,
				   unsigned int how, uintptr_t pc)
{
	if (rc == 0 || rc == EOWNERDEAD)
		sync_record(EVENT_MUTEX_LOCK, mutex, (unsigned int)rc | how,
			    pc);
	else
		sync_record(EVENT_MUTEX_FAIL, mutex, (unsigned int)rc, pc);
}

/* sync_mutex.c: whether the mutex will let this thread unlock it. */
bool mutex_can_unlock(const struct thread *t, const pthread_mutex_t *mutex);

/* sync_cond.c: a wait on a condition, from before the mutex is let go until it
 * is held again. To be declared with cleanup(wait_end), because cancellation
 * leaves the real wait by unwinding; the mutex is held then as well. */
struct wait {
	struct thread *thread; /* NULL: nothing is recorded */
	const pthread_cond_t *cond;
	const pthread_mutex_t *mutex;
	uintptr_t pc;
	int result; /* an errno; ECANCELED until the real wait has returned */
};

struct wait wait_begin(const pthread_cond_t *cond, const pthread_mutex_t *mutex,
		       const struct timespec *until, uintptr_t pc);
void wait_end(struct wait *wait);

#endif
