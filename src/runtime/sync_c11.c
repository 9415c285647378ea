/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"

/* The mutexes and conditions of C11 are those of pthreads under other names
 * and with other results, but they do not pass through the pthread names. */

static int to_errno(int result)
{
	switch (result) {
	case thrd_success:
		return 0;
	case thrd_busy:
		return EBUSY;
	case thrd_timedout:
		return ETIMEDOUT;
	case thrd_nomem:
		return ENOMEM;
	default:
		return EINVAL;
	}
}

/* Its inverse, for results of the models. */
static int to_c11(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	case ENOMEM:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}

static pthread_mutex_t *as_mutex(mtx_t *mutex)
{
	return (pthread_mutex_t *)mutex;
}

static pthread_cond_t *as_cond(cnd_t *cond)
{
	return (pthread_cond_t *)cond;
}

EXPORT int mtx_init(mtx_t *mutex, int type)
{
	int rc;

	if (controlled)
		model_remake(EVENT_MUTEX_INIT, mutex, CALLER);
	rc = real.mtx_init(mutex, type);
	if (rc == thrd_success)
		sync_record(EVENT_MUTEX_INIT, mutex,
			    type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE :
						   PTHREAD_MUTEX_NORMAL,
			    CALLER);
	return rc;
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
	if (controlled)
		model_remake(EVENT_MUTEX_DESTROY, mutex, CALLER);
	real.mtx_destroy(mutex);
	sync_record(EVENT_MUTEX_DESTROY, mutex, 0, CALLER);
}

EXPORT int mtx_lock(mtx_t *mutex)
{
	int rc;

	sync_before(EVENT_MUTEX_LOCK, mutex, CALLER);
	rc = controlled ? to_c11(model_mutex_lock(as_mutex(mutex), CALLER)) :
			  real.mtx_lock(mutex);

	mutex_attempted(as_mutex(mutex), to_errno(rc), 0, CALLER);
	return rc;
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
	int rc = controlled ?
			 to_c11(model_mutex_trylock(as_mutex(mutex), CALLER)) :
			 real.mtx_trylock(mutex);

	mutex_attempted(as_mutex(mutex), to_errno(rc), LOCK_TRIED, CALLER);
	return rc;
}

EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	int rc;

	sync_before(EVENT_MUTEX_LOCK, mutex, CALLER);
	rc = controlled ?
		     to_c11(model_mutex_clocklock(
			     as_mutex(mutex), CLOCK_REALTIME, until, CALLER)) :
		     real.mtx_timedlock(mutex, until);

	mutex_attempted(as_mutex(mutex), to_errno(rc), 0, CALLER);
	return rc;
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
	struct thread *t = guest_self();
	bool can;
	int rc;

	if (!t)
		return real.mtx_unlock(mutex);
	can = mutex_can_unlock(t, as_mutex(mutex));
	if (can)
		record(t, EVENT_MUTEX_UNLOCK, mutex, 0, 0, CALLER);
	rc = controlled ? to_c11(model_mutex_unlock(as_mutex(mutex), CALLER)) :
			  real.mtx_unlock(mutex);
	if (!can)
		record(t, EVENT_MUTEX_FAIL, mutex, 0, EPERM, CALLER);
	return rc;
}

EXPORT int cnd_init(cnd_t *cond)
{
	int rc;

	if (controlled)
		model_remake(EVENT_COND_INIT, cond, CALLER);
	rc = real.cnd_init(cond);
	if (rc == thrd_success)
		sync_record(EVENT_COND_INIT, cond, 0, CALLER);
	return rc;
}

EXPORT void cnd_destroy(cnd_t *cond)
{
	if (controlled)
		model_cond_destroy(as_cond(cond), CALLER);
	else
		real.cnd_destroy(cond);
	sync_record(EVENT_COND_DESTROY, cond, 0, CALLER);
}

EXPORT int cnd_signal(cnd_t *cond)
{
	sync_record(EVENT_COND_SIGNAL, cond, 0, CALLER);
	return controlled ? to_c11(model_cond_signal(as_cond(cond), CALLER)) :
			    real.cnd_signal(cond);
}

EXPORT int cnd_broadcast(cnd_t *cond)
{
	sync_record(EVENT_COND_BROADCAST, cond, 0, CALLER);
	return controlled ?
		       to_c11(model_cond_broadcast(as_cond(cond), CALLER)) :
		       real.cnd_broadcast(cond);
}

EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	struct wait wait __attribute__((cleanup(wait_end))) =
		wait_begin(as_cond(cond), as_mutex(mutex), NULL, CALLER);
	int rc = controlled ?
			 to_c11(model_cond_wait(as_cond(cond), as_mutex(mutex),
						0, NULL, CALLER)) :
			 real.cnd_wait(cond, mutex);

	wait.result = to_errno(rc);
	return rc;
}

EXPORT int cnd_timedwait(cnd_t *cond, mtx_t *mutex,
			 const struct timespec *until)
{
	struct wait wait __attribute__((cleanup(wait_end))) =
		wait_begin(as_cond(cond), as_mutex(mutex), until, CALLER);
	int rc =
		controlled ?
			to_c11(model_cond_wait(as_cond(cond), as_mutex(mutex),
					       CLOCK_REALTIME, until, CALLER)) :
			real.cnd_timedwait(cond, mutex, until);

	wait.result = to_errno(rc);
	return rc;
}
