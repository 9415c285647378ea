/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"

/*
 * A thread that has left may enter the next round before another has recorded
 * that it left this one. Who met in a round is therefore found by counting:
 * BARRIER_INIT tells how many make one.
 */

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier,
				const pthread_barrierattr_t *attr,
				unsigned int count)
{
	int rc;

	if (controlled)
		model_remake(EVENT_BARRIER_INIT, barrier, CALLER);
	rc = real.pthread_barrier_init(barrier, attr, count);
	if (rc == 0)
		sync_record(EVENT_BARRIER_INIT, barrier, count, CALLER);
	return rc;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	int rc;

	if (controlled)
		model_remake(EVENT_BARRIER_DESTROY, barrier, CALLER);
	rc = real.pthread_barrier_destroy(barrier);
	if (rc == 0)
		sync_record(EVENT_BARRIER_DESTROY, barrier, 0, CALLER);
	return rc;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	int rc;

	sync_record(EVENT_BARRIER_ENTER, barrier, 0, CALLER);
	rc = controlled ? model_barrier_wait(barrier, CALLER) :
			  real.pthread_barrier_wait(barrier);
	sync_record(EVENT_BARRIER_LEAVE, barrier,
		    rc == PTHREAD_BARRIER_SERIAL_THREAD, CALLER);
	return rc;
}
