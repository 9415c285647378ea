/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cancel.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"
#include "runtime/timing.h"
#include "runtime/turn.h"

#include <errno.h>
#include <unistd.h>

/*
 * Masks, and waiting for signals. What is pending in the kernel is asked for
 * without waiting; the rest is a wait for the turn like any other.
 *
 * A thread that waits for a signal waits for somebody of this process: nobody
 * left to go on is a deadlock, unless there are children (signal_rescues).
 */

static struct thread *waiter(void)
{
	return controlled ? guest_self() : NULL;
}

/* The kernel's mask has 64 bits, whatever libc's type has. */
static uint64_t bits_of(const sigset_t *set)
{
	return *(const uint64_t *)set;
}

/* ---- masks ---- */

static void point(struct thread *t, uintptr_t pc)
{
	guest_enter(t);
	if (turn_live > 1 || signal_expected)
		turn_point(t, EVENT_SIGNAL_BEGIN, NULL, pc);
	guest_leave(t);
}

/* Signals that were pending are handled before this returns. */
static int mask_change(struct thread *t, int how, const sigset_t *set,
		       sigset_t *old, uintptr_t pc)
{
	int rc;

	if (set)
		point(t, pc);
	signal_let_in(t);
	rc = real.pthread_sigmask(how, set, old);
	if (rc == 0 && set)
		signal_begin(t);
	signal_let_in_end(t);
	return rc;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	struct thread *t = waiter();

	return t ? mask_change(t, how, set, old, CALLER) :
		   real.pthread_sigmask(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	struct thread *t = waiter();
	int rc;

	if (!t)
		return real.sigprocmask(how, set, old);
	rc = mask_change(t, how, set, old, CALLER);
	if (!rc)
		return 0;
	errno = rc;
	return -1;
}

/* ---- waiting for a handler ---- */

static bool can_cancel(uint32_t number, uint64_t object)
{
	(void)object;
	return cancel_is_pending(number);
}

static void mask_use(struct thread *t, uint64_t mask)
{
	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	signal_mask_set(t->number, mask);
}

/* True: a handler ran. False: the thread is to be cancelled. */
static bool handler_await(struct thread *t, uintptr_t pc)
{
	enum turn_end end;

	guest_enter(t);
	end = turn_await_signal(t, EVENT_SIGNAL_BEGIN, NULL, pc, can_cancel,
				NO_DEADLINE);
	guest_leave(t);
	return end == TURN_SIGNAL;
}

static int interrupted(struct thread *t)
{
	cancel_act(t);
	errno = EINTR;
	return -1;
}

/* ---- with another mask ---- */

bool signal_mask_begin(struct signal_masked *m, struct thread *t,
		       const sigset_t *set, uintptr_t pc)
{
	point(t, pc);
	m->kept = signal_mask(t->number);
	m->thread = t;
	signal_wait_is_atomic(t, true);
	signal_let_in(t);
	mask_use(t, bits_of(set));
	return signal_let_in_end(t);
}

void signal_mask_end(struct signal_masked *m)
{
	if (!m->thread)
		return;
	signal_let_in(m->thread);
	mask_use(m->thread, m->kept);
	signal_let_in_end(m->thread);
	signal_wait_is_atomic(m->thread, false);
	m->thread = NULL;
}

EXPORT int sigsuspend(const sigset_t *set)
{
	struct thread *t = waiter();
	struct signal_masked masked = { 0 };

	if (!t)
		return real.sigsuspend(set);
	if (!signal_mask_begin(&masked, t, set, CALLER))
		handler_await(t, CALLER);
	signal_mask_end(&masked);
	return interrupted(t);
}

EXPORT int pause(void)
{
	struct thread *t = waiter();

	if (!t)
		return real.pause();
	handler_await(t, CALLER);
	return interrupted(t);
}

/* ---- waiting for a signal ---- */

static bool can_have(uint32_t number, uint64_t object)
{
	(void)object;
	return signal_was_given(number) || cancel_is_pending(number);
}

/* 0, or an errno. The thread is inside. */
static int want(struct thread *t, uint64_t set, siginfo_t *info,
		uint64_t deadline, uintptr_t pc)
{
	const void *object = signal_want(t->number, set, info);
	enum turn_end end = turn_await_signal(t, EVENT_SIGNAL_BEGIN, object, pc,
					      can_have, deadline);
	bool given = signal_was_given(t->number);

	signal_want_no_more(t->number);
	if (given)
		return 0;
	return end == TURN_TIME ? EAGAIN : EINTR;
}

/* 0, or an errno. `until` as for turn_await, 0 for no limit. */
static int signal_await(struct thread *t, const sigset_t *set, siginfo_t *info,
			uint64_t deadline, bool may_wait, uintptr_t pc)
{
	uint64_t bits = bits_of(set);
	int rc = 0;

	guest_enter(t);
	turn_point(t, EVENT_SIGNAL_BEGIN, NULL, pc);
	if (!signal_take_pending(t->number, bits, info))
		rc = may_wait ? want(t, bits, info, deadline, pc) : EAGAIN;
	guest_leave(t);
	if (rc == EINTR)
		cancel_act(t);
	return rc;
}

static int signal_or_error(int rc, const siginfo_t *info)
{
	if (!rc)
		return info->si_signo;
	errno = rc;
	return -1;
}

EXPORT int sigwait(const sigset_t *set, int *signal)
{
	struct thread *t = waiter();
	siginfo_t info;
	int rc;

	if (!t)
		return real.sigwait(set, signal);
	do
		rc = signal_await(t, set, &info, NO_DEADLINE, true, CALLER);
	while (rc == EINTR);
	if (rc == 0)
		*signal = info.si_signo;
	return rc;
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	struct thread *t = waiter();
	siginfo_t got;
	int rc;

	if (!t)
		return real.sigwaitinfo(set, info);
	rc = signal_await(t, set, &got, NO_DEADLINE, true, CALLER);
	if (info && rc == 0)
		*info = got;
	return signal_or_error(rc, &got);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info,
			const struct timespec *duration)
{
	enum { SECOND = 1000 * 1000 * 1000 };
	struct thread *t = waiter();
	uint64_t deadline = NO_DEADLINE;
	siginfo_t got;
	bool may_wait = true;
	int rc;

	if (!t || (duration && (duration->tv_sec < 0 || duration->tv_nsec < 0 ||
				duration->tv_nsec >= SECOND)))
		return real.sigtimedwait(set, info, duration);
	if (duration) {
		deadline = timing_deadline_in(duration);
		may_wait = duration->tv_sec || duration->tv_nsec;
	}
	rc = signal_await(t, set, &got, deadline, may_wait, CALLER);
	if (info && rc == 0)
		*info = got;
	return signal_or_error(rc, &got);
}
