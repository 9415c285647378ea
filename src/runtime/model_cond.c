/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/real.h"
#include "runtime/timing.h"
#include "runtime/values.h"

#include <errno.h>

/*
 * A condition has no memory but its waiters, and the turn knows those. The real
 * one is left alone: nobody is ever seen waiting on it.
 *
 * A wait is: a point; the mutex is let go and the thread waits, in one; it is
 * woken, or its time comes, or it is cancelled, or (when that is asked for)
 * nothing of these; it takes the mutex again, for which it may have to wait as
 * any other. A signal chooses among those who wait. Waiters whose time has
 * come, and those cancelled, do not take a signal from others.
 */

/* Bits of pthread_cond_t.__data.__wrefs. */
enum {
	WREFS_SHARED = 1,
	WREFS_MONOTONIC = 2,
};

enum {
	/* One wait in so many ends without cause, when that is asked for. */
	SPURIOUS = 8,
};

static bool is_apart(const pthread_cond_t *cond)
{
	return model_is_apart(cond->__data.__wrefs & WREFS_SHARED);
}

clockid_t model_cond_clock(const pthread_cond_t *cond)
{
	return cond->__data.__wrefs & WREFS_MONOTONIC ? CLOCK_MONOTONIC :
							CLOCK_REALTIME;
}

/* ---- waiting ---- */

static void maybe_wake_without_cause(struct thread *t)
{
	if (control->ask.flags & CONTROL_SPURIOUS &&
	    turn_pick(t, STEP_SPURIOUS, SPURIOUS) == 1)
		model_wake(t->number);
}

/* The thread is inside. */
static int wait_and_take(struct thread *t, pthread_cond_t *cond,
			 pthread_mutex_t *mutex, uint64_t deadline,
			 uintptr_t pc)
{
	int result = 0, rc;

	turn_point(t, EVENT_COND_WAIT, cond, pc);
	rc = model_mutex_let_go(t, mutex);
	if (rc)
		return rc;
	model_sleep(t, EVENT_COND_WAIT, cond, ANY_BITS);
	maybe_wake_without_cause(t);
	if (!model_await(t, EVENT_COND_WAIT, cond, pc, can_be_woken, deadline))
		result = ETIMEDOUT;
	else if (model_is_cancelled(t->number))
		result = ECANCELED;
	if (model_sleep_end(t))
		result = 0;
	rc = model_mutex_take(t, mutex, NO_DEADLINE, pc);
	return result == ECANCELED || !rc ? result : rc;
}

static int wait_apart(struct thread *t, pthread_cond_t *cond,
		      pthread_mutex_t *mutex, clockid_t which,
		      const struct timespec *until, uintptr_t pc)
{
	struct timespec at;
	int rc;

	model_away(t, EVENT_COND_WAIT, cond, pc);
	if (until) {
		at = model_real_time(which, until);
		rc = real.pthread_cond_clockwait(cond, mutex, which, &at);
	} else {
		rc = real.pthread_cond_wait(cond, mutex);
	}
	model_back(t);
	return rc;
}

static int wait_real(pthread_cond_t *cond, pthread_mutex_t *mutex,
		     clockid_t which, const struct timespec *until)
{
	return until ? real.pthread_cond_clockwait(cond, mutex, which, until) :
		       real.pthread_cond_wait(cond, mutex);
}

int model_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex,
		    clockid_t which, const struct timespec *until, uintptr_t pc)
{
	struct thread *t = guest_self();
	uint64_t deadline = NO_DEADLINE;
	int rc;

	if (!t || (until && !model_is_time(which, until)))
		return wait_real(cond, mutex, which, until);
	if (is_apart(cond))
		return wait_apart(t, cond, mutex, which, until, pc);
	if (until)
		deadline = timing_deadline(which, until);
	guest_enter(t);
	rc = wait_and_take(t, cond, mutex, deadline, pc);
	guest_leave(t);
	if (rc == ECANCELED)
		model_cancel(t);
	return rc;
}

/* ---- waking ---- */

int model_cond_signal(pthread_cond_t *cond, uintptr_t pc)
{
	struct thread *t = guest_self();
	uint32_t chosen;

	if (!t || is_apart(cond))
		return real.pthread_cond_signal(cond);
	guest_enter(t);
	turn_point(t, EVENT_COND_SIGNAL, cond, pc);
	chosen = model_sleeper_pick(t, EVENT_COND_WAIT, cond, ANY_BITS);
	values_number(t, model_sleeper_set(EVENT_COND_WAIT, cond), chosen);
	if (chosen != NO_THREAD)
		model_wake(chosen);
	guest_leave(t);
	return 0;
}

int model_cond_broadcast(pthread_cond_t *cond, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t || is_apart(cond))
		return real.pthread_cond_broadcast(cond);
	guest_enter(t);
	turn_point(t, EVENT_COND_BROADCAST, cond, pc);
	model_wake_all(EVENT_COND_WAIT, cond);
	guest_leave(t);
	return 0;
}

/* ---- the end ---- */

static bool can_destroy(uint32_t number, uint64_t object)
{
	(void)number;
	return !model_sleepers(EVENT_COND_WAIT, (void *)object);
}

/* libc waits until the last waiter was woken. */
int model_cond_destroy(pthread_cond_t *cond, uintptr_t pc)
{
	struct thread *t = guest_self();

	model_remake(EVENT_COND_DESTROY, cond, pc);
	if (t && !is_apart(cond) && !can_destroy(0, (uintptr_t)cond)) {
		guest_enter(t);
		turn_await(t, EVENT_COND_DESTROY, cond, pc, can_destroy,
			   NO_DEADLINE);
		guest_leave(t);
	}
	return real.pthread_cond_destroy(cond);
}
