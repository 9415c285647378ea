/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"

/* Unlocking cannot fail: glibc does not look whether the thread holds the
 * lock. */

static void attempted(const pthread_rwlock_t *lock, enum event_kind kind,
		      int rc, unsigned int how, uintptr_t pc)
{
	if (rc == 0)
		sync_record(kind, lock, how, pc);
	else
		sync_record(EVENT_RWLOCK_FAIL, lock, (unsigned int)rc, pc);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock,
			       const pthread_rwlockattr_t *attr)
{
	int rc;

	if (controlled)
		model_remake(EVENT_RWLOCK_INIT, lock, CALLER);
	rc = real.pthread_rwlock_init(lock, attr);
	if (rc == 0)
		sync_record(EVENT_RWLOCK_INIT, lock, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
	int rc;

	if (controlled)
		model_remake(EVENT_RWLOCK_DESTROY, lock, CALLER);
	rc = real.pthread_rwlock_destroy(lock);
	if (rc == 0)
		sync_record(EVENT_RWLOCK_DESTROY, lock, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	int rc;

	sync_before(EVENT_RWLOCK_RDLOCK, lock, CALLER);
	rc = controlled ? model_rwlock_rdlock(lock, 0, NULL, CALLER) :
			  real.pthread_rwlock_rdlock(lock);

	attempted(lock, EVENT_RWLOCK_RDLOCK, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	int rc = controlled ? model_rwlock_tryrdlock(lock, CALLER) :
			      real.pthread_rwlock_tryrdlock(lock);

	attempted(lock, EVENT_RWLOCK_RDLOCK, rc, LOCK_TRIED, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
				      const struct timespec *until)
{
	int rc;

	sync_before(EVENT_RWLOCK_RDLOCK, lock, CALLER);
	rc = controlled ?
		     model_rwlock_rdlock(lock, CLOCK_REALTIME, until, CALLER) :
		     real.pthread_rwlock_timedrdlock(lock, until);

	attempted(lock, EVENT_RWLOCK_RDLOCK, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t timer,
				      const struct timespec *until)
{
	int rc;

	sync_before(EVENT_RWLOCK_RDLOCK, lock, CALLER);
	rc = controlled ? model_rwlock_rdlock(lock, timer, until, CALLER) :
			  real.pthread_rwlock_clockrdlock(lock, timer, until);

	attempted(lock, EVENT_RWLOCK_RDLOCK, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	int rc;

	sync_before(EVENT_RWLOCK_WRLOCK, lock, CALLER);
	rc = controlled ? model_rwlock_wrlock(lock, 0, NULL, CALLER) :
			  real.pthread_rwlock_wrlock(lock);

	attempted(lock, EVENT_RWLOCK_WRLOCK, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	int rc = controlled ? model_rwlock_trywrlock(lock, CALLER) :
			      real.pthread_rwlock_trywrlock(lock);

	attempted(lock, EVENT_RWLOCK_WRLOCK, rc, LOCK_TRIED, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
				      const struct timespec *until)
{
	int rc;

	sync_before(EVENT_RWLOCK_WRLOCK, lock, CALLER);
	rc = controlled ?
		     model_rwlock_wrlock(lock, CLOCK_REALTIME, until, CALLER) :
		     real.pthread_rwlock_timedwrlock(lock, until);

	attempted(lock, EVENT_RWLOCK_WRLOCK, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t timer,
				      const struct timespec *until)
{
	int rc;

	sync_before(EVENT_RWLOCK_WRLOCK, lock, CALLER);
	rc = controlled ? model_rwlock_wrlock(lock, timer, until, CALLER) :
			  real.pthread_rwlock_clockwrlock(lock, timer, until);

	attempted(lock, EVENT_RWLOCK_WRLOCK, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	sync_record(EVENT_RWLOCK_UNLOCK, lock, 0, CALLER);
	return controlled ? model_rwlock_unlock(lock, CALLER) :
			    real.pthread_rwlock_unlock(lock);
}
