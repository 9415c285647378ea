/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/roster.h"
#include "runtime/timing.h"
#include "runtime/values.h"

#include <errno.h>

/*
 * A join waits until the other thread has come to its end under control; the
 * real join then has nothing to wait for but that thread's last steps in libc.
 *
 * Two threads that join each other wait for ever, and so does a second joiner
 * of the same thread: libc, as it is, finds neither.
 */

static uint32_t joined;

static bool is_over(uint32_t number)
{
	return control->threads[number].state == THREAD_OVER;
}

static bool is_free(uint32_t number)
{
	return is_over(number) && !control->threads[number].is_joined;
}

static bool can_join(uint32_t number, uint64_t target)
{
	return is_free((uint32_t)target) || model_is_cancelled(number);
}

static void join_note(uint32_t number)
{
	control->threads[number].is_joined = true;
	joined++;
}

bool model_all_joined(void)
{
	return joined + 1 == control->run.thread_count;
}

/* The thread is inside. */
static int await_end(struct thread *t, uint32_t number, uint64_t deadline,
		     uintptr_t pc)
{
	const void *object = (const void *)(uintptr_t)number;

	if (!model_await(t, EVENT_THREAD_JOIN, object, pc, can_join, deadline))
		return ETIMEDOUT;
	if (!is_free(number))
		return ECANCELED;
	join_note(number);
	values_flag(t, TRACED_TOOK);
	turn_touch(object);
	return 0;
}

int model_join(struct thread *t, uint32_t number, clockid_t which,
	       const struct timespec *until, uintptr_t pc)
{
	uint64_t deadline = NO_DEADLINE;
	int rc;

	/* The real function refuses these. */
	if (number == t->number || roster_is_detached(number))
		return 0;
	if (until && !model_is_time(which, until))
		return is_over(number) ? 0 : EINVAL;
	if (until)
		deadline = timing_deadline(which, until);
	guest_enter(t);
	rc = await_end(t, number, deadline, pc);
	guest_leave(t);
	if (rc == ECANCELED)
		model_cancel(t);
	return rc;
}

bool model_tryjoin(struct thread *t, uint32_t number, uintptr_t pc)
{
	guest_enter(t);
	turn_point(t, EVENT_THREAD_JOIN, (const void *)(uintptr_t)number, pc);
	values_unmodelled(EVENT_THREAD_JOIN);
	guest_leave(t);
	if (!is_free(number))
		return false;
	join_note(number);
	return true;
}
