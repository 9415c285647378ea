/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cancel.h"

#include "runtime/apiece.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/turn.h"

#include <errno.h>

/*
 * libc believes that all cancellation is deferred, and learns that a thread is
 * to be cancelled from the thread itself. From then on libc's own cancellation
 * points, which we do not stand in front of, act as well.
 */

bool cancel_anywhere;

void cancel_begin(uint32_t number)
{
	apiece[number].cancel.asked = false;
}

bool cancel_is_pending(uint32_t number)
{
	return unlikely(apiece[number].cancel.asked) &&
	       !apiece[number].cancel.disabled;
}

static void libc_tell(uint32_t number)
{
	if (!apiece[number].cancel.told)
		real.pthread_cancel(pthread_self());
	apiece[number].cancel.told = true;
}

void cancel_act(struct thread *t)
{
	uint32_t n = t->number;

	if (likely(!cancel_is_pending(n)))
		return;
	libc_tell(n);
	/* What cleanup handlers wait in is not left again. */
	apiece[n].cancel.asked = false;
	t->inside = 0;
	real.pthread_testcancel();
}

void cancel_at_point(struct thread *t)
{
	if (!apiece[t->number].cancel.asked)
		return;
	libc_tell(t->number);
	if (apiece[t->number].cancel.at_once)
		cancel_act(t);
}

void cancel_ask(struct thread *t, uint32_t number, uintptr_t pc)
{
	guest_enter(t);
	turn_point(t, EVENT_THREAD_CANCEL, NULL, pc);
	if (control->threads[number].state != THREAD_OVER) {
		apiece[number].cancel.asked = true;
		turn_disturb(number);
	}
	guest_leave(t);
	if (number == t->number)
		cancel_at_point(t);
}

/* ---- what the program asks and sets ---- */

EXPORT void pthread_testcancel(void)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (t) {
		guest_enter(t);
		if (turn_live > 1 || signal_expected)
			turn_point(t, EVENT_THREAD_CANCEL, NULL, CALLER);
		guest_leave(t);
		cancel_act(t);
	}
	real.pthread_testcancel();
}

EXPORT int pthread_setcancelstate(int state, int *old)
{
	int rc = real.pthread_setcancelstate(state, old);
	struct thread *t = controlled ? guest_self() : NULL;

	if (!t || rc != 0)
		return rc;
	apiece[t->number].cancel.disabled = state == PTHREAD_CANCEL_DISABLE;
	if (apiece[t->number].cancel.at_once)
		cancel_act(t);
	return rc;
}

static int type_set(struct thread *t, int type, int *old)
{
	uint32_t n = t->number;
	int was = apiece[n].cancel.at_once ? PTHREAD_CANCEL_ASYNCHRONOUS :
					     PTHREAD_CANCEL_DEFERRED;

	if (type != PTHREAD_CANCEL_ASYNCHRONOUS &&
	    type != PTHREAD_CANCEL_DEFERRED)
		return EINVAL;
	if (old)
		*old = was;
	apiece[n].cancel.at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (apiece[n].cancel.at_once) {
		cancel_anywhere = true;
		guest_note("the program uses asynchronous cancellation, which "
			   "under control acts at points only");
		cancel_act(t);
	}
	return 0;
}

EXPORT int pthread_setcanceltype(int type, int *old)
{
	struct thread *t = guest_self();

	if (t && controlled)
		return type_set(t, type, old);
	if (type == PTHREAD_CANCEL_ASYNCHRONOUS && t)
		guest_note("the program uses asynchronous cancellation, which "
			   "may strike while an event is being recorded");
	return real.pthread_setcanceltype(type, old);
}
