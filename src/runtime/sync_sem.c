/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"

/*
 * A named semaphore is the same address in all the process, however often it
 * is opened; so opening and closing are not intercepted, and such a semaphore
 * has neither SEM_INIT nor SEM_DESTROY, like one that another process made.
 *
 * A post fails only at SEM_VALUE_MAX or on a semaphore that is none. It is
 * recorded before it is known to have succeeded, and a SEM_FAIL right after it
 * takes it back.
 *
 * Cancellation leaves the waits without a trace: nothing was taken.
 */

static void attempted(const sem_t *sem, int rc, uintptr_t pc)
{
	if (rc == 0)
		sync_record(EVENT_SEM_WAIT, sem, 0, pc);
	else
		sync_record(EVENT_SEM_FAIL, sem, (unsigned int)errno, pc);
}

EXPORT int sem_init(sem_t *sem, int shared, unsigned int value)
{
	int rc;

	if (controlled)
		model_remake(EVENT_SEM_INIT, sem, CALLER);
	rc = real.sem_init(sem, shared, value);
	if (rc == 0)
		sync_record(EVENT_SEM_INIT, sem, value, CALLER);
	return rc;
}

EXPORT int sem_destroy(sem_t *sem)
{
	int rc;

	if (controlled)
		model_remake(EVENT_SEM_DESTROY, sem, CALLER);
	rc = real.sem_destroy(sem);
	if (rc == 0)
		sync_record(EVENT_SEM_DESTROY, sem, 0, CALLER);
	return rc;
}

EXPORT int sem_getvalue(sem_t *sem, int *value)
{
	if (controlled)
		model_sem_point(sem, CALLER);
	return real.sem_getvalue(sem, value);
}

EXPORT int sem_post(sem_t *sem)
{
	int rc;

	sync_record(EVENT_SEM_POST, sem, 0, CALLER);
	rc = controlled ? model_sem_post(sem, CALLER) : real.sem_post(sem);
	if (rc)
		sync_record(EVENT_SEM_FAIL, sem, (unsigned int)errno, CALLER);
	return rc;
}

EXPORT int sem_wait(sem_t *sem)
{
	int rc;

	sync_before(EVENT_SEM_WAIT, sem, CALLER);
	rc = controlled ? model_sem_wait(sem, 0, NULL, CALLER) :
			  real.sem_wait(sem);

	attempted(sem, rc, CALLER);
	return rc;
}

EXPORT int sem_trywait(sem_t *sem)
{
	int rc = controlled ? model_sem_trywait(sem, CALLER) :
			      real.sem_trywait(sem);

	attempted(sem, rc, CALLER);
	return rc;
}

EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	int rc;

	sync_before(EVENT_SEM_WAIT, sem, CALLER);
	rc = controlled ? model_sem_wait(sem, CLOCK_REALTIME, until, CALLER) :
			  real.sem_timedwait(sem, until);

	attempted(sem, rc, CALLER);
	return rc;
}

EXPORT int sem_clockwait(sem_t *sem, clockid_t timer,
			 const struct timespec *until)
{
	int rc;

	sync_before(EVENT_SEM_WAIT, sem, CALLER);
	rc = controlled ? model_sem_wait(sem, timer, until, CALLER) :
			  real.sem_clockwait(sem, timer, until);

	attempted(sem, rc, CALLER);
	return rc;
}
