/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"

/* A spin lock that was busy is not recorded: it would be tried again at once,
 * and fill the trace with that. */

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	int rc;

	if (controlled)
		model_remake(EVENT_SPIN_INIT, lock, CALLER);
	rc = real.pthread_spin_init(lock, shared);
	if (controlled)
		model_spin_init((const void *)lock,
				shared == PTHREAD_PROCESS_SHARED);
	if (rc == 0)
		sync_record(EVENT_SPIN_INIT, lock, 0, CALLER);
	return rc;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	int rc;

	if (controlled)
		model_remake(EVENT_SPIN_DESTROY, lock, CALLER);
	rc = real.pthread_spin_destroy(lock);
	if (controlled)
		model_spin_init((const void *)lock, false);
	if (rc == 0)
		sync_record(EVENT_SPIN_DESTROY, lock, 0, CALLER);
	return rc;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	int rc;

	sync_before(EVENT_SPIN_LOCK, lock, CALLER);
	rc = controlled ? model_spin_lock(lock, CALLER) :
			  real.pthread_spin_lock(lock);

	if (rc == 0)
		sync_record(EVENT_SPIN_LOCK, lock, 0, CALLER);
	return rc;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	int rc = controlled ? model_spin_trylock(lock, CALLER) :
			      real.pthread_spin_trylock(lock);

	if (rc == 0)
		sync_record(EVENT_SPIN_LOCK, lock, LOCK_TRIED, CALLER);
	return rc;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	sync_record(EVENT_SPIN_UNLOCK, lock, 0, CALLER);
	return controlled ? model_spin_unlock(lock, CALLER) :
			    real.pthread_spin_unlock(lock);
}
