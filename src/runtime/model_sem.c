/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/real.h"
#include "runtime/timing.h"
#include "runtime/values.h"

#include <errno.h>

/*
 * The real semaphore is taken by trywait, after waiting until its value is
 * above 0. Named semaphores may be opened by another process at any time; as
 * long as the program has made none, nobody but us is thought to post.
 */

/* What libc keeps behind the value: not 0 when processes share it. */
static bool is_apart(const sem_t *sem)
{
	const uint32_t *words = (const uint32_t *)(const void *)sem;

	return model_is_apart(words[2]);
}

static uint64_t tokens_of(sem_t *sem)
{
	int value = 0;

	real.sem_getvalue(sem, &value);
	return (uint64_t)value;
}

static bool can_take(uint32_t number, uint64_t object)
{
	int value = 0;

	real.sem_getvalue((sem_t *)object, &value);
	return value > 0 || model_is_cancelled(number);
}

static int wait_real(sem_t *sem, clockid_t which, const struct timespec *until)
{
	return until ? real.sem_clockwait(sem, which, until) :
		       real.sem_wait(sem);
}

/* Somebody else may have taken it when we are back. The thread is inside. */
static int take_apart(struct thread *t, sem_t *sem, uint64_t deadline,
		      uintptr_t pc)
{
	int rc;

	for (;;) {
		rc = model_await_apart(t, sem, pc, can_take, deadline);
		if (rc || model_is_cancelled(t->number))
			return rc;
		if (real.sem_trywait(sem) == 0)
			return 0;
		if (errno != EAGAIN)
			return errno;
	}
}

/* 0 or an error; ECANCELED stands for a wait that was cancelled. The thread is
 * inside. */
static int take(struct thread *t, sem_t *sem, uint64_t deadline, uintptr_t pc)
{
	bool apart = is_apart(sem);
	int rc = apart ? take_apart(t, sem, deadline, pc) :
			 model_await_signal(t, EVENT_SEM_WAIT, sem, pc,
					    can_take, deadline);

	if (model_is_cancelled(t->number))
		return ECANCELED;
	if (rc || apart)
		return rc;
	values_number(t, tokens_of(sem), NO_THREAD);
	if (real.sem_trywait(sem))
		return errno;
	values_flag(t, TRACED_TOOK);
	turn_touch(sem);
	return 0;
}

int model_sem_wait(sem_t *sem, clockid_t which, const struct timespec *until,
		   uintptr_t pc)
{
	struct thread *t = guest_self();
	uint64_t deadline = NO_DEADLINE;
	int kept = errno, rc;

	if (!t || (until && !model_is_time(which, until)))
		return wait_real(sem, which, until);
	if (until)
		deadline = timing_deadline(which, until);
	guest_enter(t);
	rc = take(t, sem, deadline, pc);
	guest_leave(t);
	if (rc == ECANCELED)
		model_cancel(t);
	errno = rc ? rc : kept;
	return rc ? -1 : 0;
}

int model_sem_trywait(sem_t *sem, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.sem_trywait(sem);
	guest_enter(t);
	turn_point(t, EVENT_SEM_FAIL, sem, pc);
	values_number(t, tokens_of(sem), NO_THREAD);
	if (is_apart(sem))
		values_unmodelled(EVENT_SEM_FAIL);
	rc = real.sem_trywait(sem);
	if (rc == 0) {
		values_flag(t, TRACED_TOOK);
		turn_touch(sem);
	}
	guest_leave(t);
	return rc;
}

int model_sem_post(sem_t *sem, uintptr_t pc)
{
	struct thread *t = guest_self();
	int rc;

	if (!t)
		return real.sem_post(sem);
	guest_enter(t);
	turn_point(t, EVENT_SEM_POST, sem, pc);
	values_number(t, tokens_of(sem), NO_THREAD);
	rc = real.sem_post(sem);
	turn_touch(sem);
	guest_leave(t);
	return rc;
}

/* Somebody looks at it: no try, and how many tokens there are is not told. */
void model_sem_point(sem_t *sem, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_point(t, EVENT_SEM_FAIL, sem, pc);
	values_kind(t, EVENT_SEM_INIT);
	values_unmodelled(EVENT_SEM_FAIL);
	guest_leave(t);
}
