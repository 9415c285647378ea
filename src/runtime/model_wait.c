/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/blocking.h"
#include "runtime/cancel.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"
#include "runtime/timing.h"
#include "runtime/values.h"

#include <errno.h>

enum { SECOND = 1000 * 1000 * 1000 };

bool model_await(struct thread *t, enum event_kind kind,
		 const volatile void *object, uintptr_t pc, turn_can *can,
		 uint64_t deadline)
{
	if (deadline != NO_DEADLINE)
		values_timed();
	if (deadline == NO_DEADLINE || deadline > control->run.now)
		return turn_await(t, kind, object, pc, can, deadline);
	turn_point(t, kind, object, pc);
	return can(t->number, (uintptr_t)object);
}

void model_remake(enum event_kind kind, const volatile void *object,
		  uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t || (turn_live == 1 && model_all_joined()))
		return;
	guest_enter(t);
	turn_point(t, kind, object, pc);
	guest_leave(t);
}

int model_await_signal(struct thread *t, enum event_kind kind,
		       const volatile void *object, uintptr_t pc, turn_can *can,
		       uint64_t deadline)
{
	if (deadline != NO_DEADLINE)
		values_timed();
	if (deadline != NO_DEADLINE && deadline <= control->run.now)
		return model_await(t, kind, object, pc, can, deadline) ?
			       0 :
			       ETIMEDOUT;
	for (;;) {
		switch (turn_await_signal(t, kind, object, pc, can, deadline)) {
		case TURN_CAN:
			return 0;
		case TURN_TIME:
			return ETIMEDOUT;
		case TURN_SIGNAL:
			if (can(t->number, (uintptr_t)object))
				return 0;
			if (!signal_restarts(t))
				return EINTR;
		}
	}
}

/* ---- sleeping until woken ---- */

static struct {
	uint64_t object; /* 0: does not sleep */
	uint32_t kind;
	uint32_t bits;
	bool woken;
} sleeps[CONTROL_THREADS];

void model_sleep(struct thread *t, enum event_kind kind,
		 const volatile void *object, uint32_t bits)
{
	sleeps[t->number].object = (uintptr_t)object;
	sleeps[t->number].kind = kind;
	sleeps[t->number].bits = bits;
	sleeps[t->number].woken = false;
}

bool model_sleep_end(struct thread *t)
{
	sleeps[t->number].object = 0;
	return sleeps[t->number].woken;
}

bool model_sleeps(uint32_t number)
{
	return sleeps[number].object;
}

bool can_be_woken_only(uint32_t number, uint64_t object)
{
	(void)object;
	return sleeps[number].woken;
}

bool can_be_woken(uint32_t number, uint64_t object)
{
	return can_be_woken_only(number, object) || model_is_cancelled(number);
}

/* Its time has come, and it has not gone on yet. */
static bool has_fired(uint32_t number)
{
	const struct control_thread *c = &control->threads[number];

	return c->state == THREAD_READY && c->deadline != NO_DEADLINE &&
	       c->deadline <= control->run.now;
}

static bool sleeps_on(uint32_t number, enum event_kind kind,
		      const volatile void *object)
{
	return sleeps[number].object == (uintptr_t)object &&
	       sleeps[number].kind == kind && !sleeps[number].woken &&
	       !has_fired(number);
}

uint32_t model_sleeper_pick(struct thread *t, enum event_kind kind,
			    const volatile void *object, uint32_t bits)
{
	static uint32_t found[CONTROL_THREADS];
	uint32_t count = 0;

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (sleeps_on(n, kind, object) && sleeps[n].bits & bits &&
		    !model_is_cancelled(n))
			found[count++] = n;
	return turn_pick_thread(t, STEP_WAKE, found, count);
}

uint32_t model_sleepers(enum event_kind kind, const volatile void *object)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		count += sleeps_on(n, kind, object);
	return count;
}

uint64_t model_sleeper_set(enum event_kind kind, const volatile void *object)
{
	uint64_t set = 0;

	for (uint32_t n = 0; n < control->run.thread_count && n < 64; n++)
		set |= (uint64_t)sleeps_on(n, kind, object) << n;
	return set;
}

void model_wake(uint32_t number)
{
	sleeps[number].woken = true;
	turn_touch((void *)(uintptr_t)sleeps[number].object);
}

void model_wake_all(enum event_kind kind, const volatile void *object)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (sleeps_on(n, kind, object))
			sleeps[n].woken = true;
	turn_touch(object);
}

void model_move(uint32_t number, const volatile void *object)
{
	struct control_thread *c = &control->threads[number];

	/* In a handler it stands before something else; it will look at the
	 * old word when it comes back from there, and find itself woken all
	 * the same. */
	if (c->object == sleeps[number].object)
		c->object = (uintptr_t)object;
	sleeps[number].object = (uintptr_t)object;
}

/* ---- cancellation ---- */

bool model_is_cancelled(uint32_t number)
{
	return cancel_is_pending(number);
}

void model_cancel(struct thread *t)
{
	cancel_act(t);
}

/* ---- ended threads ---- */

bool model_is_over(int kernel_tid)
{
	/* The kernel may give a number again; the newest thread has it. */
	for (uint32_t n = control->run.thread_count; n-- > 0;)
		if ((int)region->threads[n].kernel_tid == kernel_tid)
			return control->threads[n].state == THREAD_OVER;
	return false;
}

/* ---- objects of several processes ---- */

static bool has_company;

void model_have_company(void)
{
	has_company = true;
}

bool model_is_apart(bool is_shared)
{
	return is_shared && (has_company || control->run.children);
}

struct apart {
	turn_can *can;
	uint32_t number;
	uint64_t object;
};

static bool apart_can(const struct wish *wish)
{
	const struct apart *a = wish->arg;

	return a->can(a->number, a->object);
}

int model_await_apart(struct thread *t, const volatile void *object,
		      uintptr_t pc, turn_can *can, uint64_t deadline)
{
	const struct apart apart = { can, t->number, (uintptr_t)object };
	const struct wish wish = { .can = apart_can, .arg = &apart };

	switch (blocking_await(t, &wish, object, deadline, pc)) {
	case TURN_CAN:
		return 0;
	case TURN_TIME:
		return ETIMEDOUT;
	default:
		return signal_restarts(t) ? 0 : EINTR;
	}
}

void model_away(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc)
{
	guest_enter(t);
	turn_away(t, kind, object, pc);
	guest_leave(t);
}

void model_back(struct thread *t)
{
	guest_enter(t);
	turn_back(t);
	guest_leave(t);
}

/* ---- times ---- */

bool model_is_time(clockid_t which, const struct timespec *until)
{
	return (which == CLOCK_REALTIME || which == CLOCK_MONOTONIC) &&
	       until->tv_nsec >= 0 && until->tv_nsec < SECOND;
}

struct timespec model_real_time(clockid_t which, const struct timespec *until)
{
	uint64_t deadline = timing_deadline(which, until);
	uint64_t now = control->run.now;
	uint64_t left = deadline > now ? deadline - now : 0;
	struct timespec at = { 0 };

	SYS_2(SYS_clock_gettime, which, &at);
	at.tv_sec += (time_t)(left / SECOND);
	at.tv_nsec += (long)(left % SECOND);
	if (at.tv_nsec >= SECOND) {
		at.tv_nsec -= SECOND;
		at.tv_sec++;
	}
	return at;
}
