/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"
#include "runtime/sys.h"

#include <linux/futex.h>

/* Bits of pthread_mutex_t.__data.__kind. The first two are the public types;
 * static initialisers (PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP) compile them
 * into programs, so they cannot change. */
enum {
	KIND_TYPE = 3,
	KIND_ROBUST = 16,
	KIND_INHERIT = 32,
};

/* What glibc writes into a mutex when this thread takes it. */
static int kernel_tid(const struct thread *t)
{
	uint32_t tid = region->threads[t->number].kernel_tid;

	return tid ? (int)tid : (int)SYS_0(SYS_gettid);
}

bool mutex_can_unlock(const struct thread *t, const pthread_mutex_t *mutex)
{
	/* Others may be changing the mutex, but never to or from us. */
	int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
	int lock = __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
	int owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);

	if (kind & (KIND_ROBUST | KIND_INHERIT))
		return (lock & FUTEX_TID_MASK) == kernel_tid(t);
	switch (kind & KIND_TYPE) {
	case PTHREAD_MUTEX_RECURSIVE:
	case PTHREAD_MUTEX_ERRORCHECK:
		return owner == kernel_tid(t);
	default:
		return true;
	}
}

/* The argument of MUTEX_INIT. */
static uint64_t attributes(const pthread_mutexattr_t *attr)
{
	int type = PTHREAD_MUTEX_DEFAULT;
	int robust = PTHREAD_MUTEX_STALLED;
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (!attr)
		return (uint64_t)type;
	pthread_mutexattr_gettype(attr, &type);
	pthread_mutexattr_getrobust(attr, &robust);
	pthread_mutexattr_getpshared(attr, &shared);
	return (uint64_t)type |
	       (uint64_t)(robust == PTHREAD_MUTEX_ROBUST) << 8 |
	       (uint64_t)(shared == PTHREAD_PROCESS_SHARED) << 9;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex,
			      const pthread_mutexattr_t *attr)
{
	int rc;

	if (controlled)
		model_remake(EVENT_MUTEX_INIT, mutex, CALLER);
	rc = real.pthread_mutex_init(mutex, attr);
	if (rc == 0)
		sync_record(EVENT_MUTEX_INIT, mutex, attributes(attr), CALLER);
	return rc;
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	int rc;

	if (controlled)
		model_remake(EVENT_MUTEX_DESTROY, mutex, CALLER);
	rc = real.pthread_mutex_destroy(mutex);
	if (rc == 0)
		sync_record(EVENT_MUTEX_DESTROY, mutex, 0, CALLER);
	return rc;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int rc;

	sync_before(EVENT_MUTEX_LOCK, mutex, CALLER);
	rc = controlled ? model_mutex_lock(mutex, CALLER) :
			  real.pthread_mutex_lock(mutex);

	mutex_attempted(mutex, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	int rc = controlled ? model_mutex_trylock(mutex, CALLER) :
			      real.pthread_mutex_trylock(mutex);

	mutex_attempted(mutex, rc, LOCK_TRIED, CALLER);
	return rc;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex,
				   const struct timespec *until)
{
	int rc;

	sync_before(EVENT_MUTEX_LOCK, mutex, CALLER);
	rc = controlled ? model_mutex_clocklock(mutex, CLOCK_REALTIME, until,
						CALLER) :
			  real.pthread_mutex_timedlock(mutex, until);

	mutex_attempted(mutex, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t timer,
				   const struct timespec *until)
{
	int rc;

	sync_before(EVENT_MUTEX_LOCK, mutex, CALLER);
	rc = controlled ? model_mutex_clocklock(mutex, timer, until, CALLER) :
			  real.pthread_mutex_clocklock(mutex, timer, until);

	mutex_attempted(mutex, rc, 0, CALLER);
	return rc;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	struct thread *t = guest_self();
	bool can;
	int rc;

	if (!t)
		return real.pthread_mutex_unlock(mutex);
	can = mutex_can_unlock(t, mutex);
	if (can)
		record(t, EVENT_MUTEX_UNLOCK, mutex, 0, 0, CALLER);
	rc = controlled ? model_mutex_unlock(mutex, CALLER) :
			  real.pthread_mutex_unlock(mutex);
	if (!can)
		record(t, EVENT_MUTEX_FAIL, mutex, 0, (unsigned int)rc, CALLER);
	return rc;
}
