/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/real.h"
#include "runtime/values.h"

/*
 * Who has arrived and may not go on yet is known to the turn; the real barrier
 * only tells how many make a round. The last to arrive wakes the others, and is
 * the serial one. They belong to its round wherever they are: a thread that was
 * woken and has not gone on does not count for the next.
 */

/* The layout of pthread_barrier_t in libc. */
struct barrier {
	uint32_t in;
	uint32_t round;
	uint32_t count;
	uint32_t shared;
	uint32_t out;
};

static const struct barrier *as_barrier(const pthread_barrier_t *barrier)
{
	return (const struct barrier *)(const void *)barrier;
}

/* The thread is inside. */
static int arrive(struct thread *t, const pthread_barrier_t *barrier,
		  uintptr_t pc)
{
	turn_point(t, EVENT_BARRIER_ENTER, barrier, pc);
	values_number(t, as_barrier(barrier)->count, NO_THREAD);
	if (model_sleepers(EVENT_BARRIER_ENTER, barrier) + 1 >=
	    as_barrier(barrier)->count) {
		model_wake_all(EVENT_BARRIER_ENTER, barrier);
		values_flag(t, TRACED_SERIAL);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	model_sleep(t, EVENT_BARRIER_ENTER, barrier, ANY_BITS);
	turn_await(t, EVENT_BARRIER_ENTER, barrier, pc, can_be_woken_only,
		   NO_DEADLINE);
	values_kind(t, EVENT_BARRIER_LEAVE);
	model_sleep_end(t);
	return 0;
}

static int wait_apart(struct thread *t, pthread_barrier_t *barrier,
		      uintptr_t pc)
{
	int rc;

	model_away(t, EVENT_BARRIER_ENTER, barrier, pc);
	rc = real.pthread_barrier_wait(barrier);
	model_back(t);
	return rc;
}

int model_barrier_wait(pthread_barrier_t *barrier, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.pthread_barrier_wait(barrier);
	if (model_is_apart(as_barrier(barrier)->shared))
		return wait_apart(t, barrier, pc);
	guest_enter(t);
	rc = arrive(t, barrier, pc);
	guest_leave(t);
	return rc;
}
