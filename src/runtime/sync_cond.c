/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"
#include "runtime/through.h"

/*
 * A wait is four events: COND_WAIT, MUTEX_UNLOCK, and when it is over COND_WAKE
 * with the result and MUTEX_LOCK. The result ECANCELED stands for a wait that
 * ended by cancellation; the events are recorded before the program's cleanup
 * handlers run, because those run with the mutex held.
 *
 * A wait that fails before it lets the mutex go (a time that is none, a mutex
 * that is not ours) is not recorded: nobody waited.
 */

static bool is_a_time(const struct timespec *time)
{
	return time->tv_nsec >= 0 && time->tv_nsec < 1000 * 1000 * 1000;
}

struct wait wait_begin(const pthread_cond_t *cond, const pthread_mutex_t *mutex,
		       const struct timespec *until, uintptr_t pc)
{
	struct wait wait = {
		.thread = guest_self(),
		.cond = cond,
		.mutex = mutex,
		.pc = pc,
		.result = ECANCELED,
	};

	if (!wait.thread)
		return wait;
	if ((until && !is_a_time(until)) ||
	    !mutex_can_unlock(wait.thread, mutex)) {
		wait.thread = NULL;
		return wait;
	}
	record(wait.thread, EVENT_COND_WAIT, cond, 0, (uintptr_t)mutex, pc);
	record(wait.thread, EVENT_MUTEX_UNLOCK, mutex, 0, 0, pc);
	return wait;
}

/* A mutex whose state was lost is not held after the wait. */
static int relock_result(int wait_result)
{
	switch (wait_result) {
	case EOWNERDEAD:
	case ENOTRECOVERABLE:
		return wait_result;
	default:
		return 0;
	}
}

void wait_end(struct wait *wait)
{
	struct thread *t = wait->thread;

	/* A child of a fork in the meantime has no thread. */
	if (!t || t != guest_self())
		return;
	record(t, EVENT_COND_WAKE, wait->cond, 0, (unsigned int)wait->result,
	       wait->pc);
	mutex_attempted(wait->mutex, relock_result(wait->result), 0, wait->pc);
}

EXPORT int pthread_cond_init(pthread_cond_t *cond,
			     const pthread_condattr_t *attr)
{
	int rc;

	if (controlled)
		model_remake(EVENT_COND_INIT, cond, CALLER);
	rc = real.pthread_cond_init(cond, attr);
	if (rc == 0)
		sync_record(EVENT_COND_INIT, cond, 0, CALLER);
	return rc;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	int rc = controlled ? model_cond_destroy(cond, CALLER) :
			      real.pthread_cond_destroy(cond);

	if (rc == 0)
		sync_record(EVENT_COND_DESTROY, cond, 0, CALLER);
	return rc;
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	sync_record(EVENT_COND_SIGNAL, cond, 0, CALLER_OF_CXX);
	return controlled ? model_cond_signal(cond, CALLER_OF_CXX) :
			    real.pthread_cond_signal(cond);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	sync_record(EVENT_COND_BROADCAST, cond, 0, CALLER_OF_CXX);
	return controlled ? model_cond_broadcast(cond, CALLER_OF_CXX) :
			    real.pthread_cond_broadcast(cond);
}

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	struct wait wait __attribute__((cleanup(wait_end))) =
		wait_begin(cond, mutex, NULL, CALLER_OF_CXX);

	wait.result = controlled ? model_cond_wait(cond, mutex, 0, NULL,
						   CALLER_OF_CXX) :
				   real.pthread_cond_wait(cond, mutex);
	return wait.result;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  const struct timespec *until)
{
	struct wait wait __attribute__((cleanup(wait_end))) =
		wait_begin(cond, mutex, until, CALLER_OF_CXX);

	wait.result = controlled ?
			      model_cond_wait(cond, mutex,
					      model_cond_clock(cond), until,
					      CALLER_OF_CXX) :
			      real.pthread_cond_timedwait(cond, mutex, until);
	return wait.result;
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
				  clockid_t timer, const struct timespec *until)
{
	/* An unknown clock fails as a time that is none does. */
	static const struct timespec none = { .tv_nsec = -1 };
	bool known = timer == CLOCK_REALTIME || timer == CLOCK_MONOTONIC;
	struct wait wait __attribute__((cleanup(wait_end))) =
		wait_begin(cond, mutex, known ? until : &none, CALLER_OF_CXX);

	wait.result = controlled ? model_cond_wait(cond, mutex, timer, until,
						   CALLER_OF_CXX) :
				   real.pthread_cond_clockwait(cond, mutex,
							       timer, until);
	return wait.result;
}
