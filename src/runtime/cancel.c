/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cancel.h"

#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/turn.h"

#include <errno.h>

/*
 * libc believes that all cancellation is deferred, and learns that a thread is
 * to be cancelled from the thread itself. From then on libc's own cancellation
 * points, which we do not stand in front of, act as well.
 */

static struct {
	bool asked;    /* and not acted on */
	bool told;     /* libc knows */
	bool disabled; /* the thread does not let itself be cancelled */
	bool at_once;  /* its type is asynchronous */
} cancels[CONTROL_THREADS];

bool cancel_anywhere;

void cancel_begin(uint32_t number)
{
	cancels[number].asked = false;
}

bool cancel_is_pending(uint32_t number)
{
	return unlikely(cancels[number].asked) && !cancels[number].disabled;
}

static void libc_tell(uint32_t number)
{
	if (!cancels[number].told)
		real.pthread_cancel(pthread_self());
	cancels[number].told = true;
}

void cancel_act(struct thread *t)
{
	uint32_t n = t->number;

	if (likely(!cancel_is_pending(n)))
		return;
	libc_tell(n);
	/* What cleanup handlers wait in is not left again. */
	cancels[n].asked = false;
	t->inside = 0;
	real.pthread_testcancel();
}

void cancel_at_point(struct thread *t)
{
	if (!cancels[t->number].asked)
		return;
	libc_tell(t->number);
	if (cancels[t->number].at_once)
		cancel_act(t);
}

void cancel_ask(struct thread *t, uint32_t number, uintptr_t pc)
{
	guest_enter(t);
	turn_point(t, EVENT_THREAD_CANCEL, NULL, pc);
	if (control->threads[number].state != THREAD_OVER) {
		cancels[number].asked = true;
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
	cancels[t->number].disabled = state == PTHREAD_CANCEL_DISABLE;
	if (cancels[t->number].at_once)
		cancel_act(t);
	return rc;
}

static int type_set(struct thread *t, int type, int *old)
{
	uint32_t n = t->number;
	int was = cancels[n].at_once ? PTHREAD_CANCEL_ASYNCHRONOUS :
				       PTHREAD_CANCEL_DEFERRED;

	if (type != PTHREAD_CANCEL_ASYNCHRONOUS &&
	    type != PTHREAD_CANCEL_DEFERRED)
		return EINVAL;
	if (old)
		*old = was;
	cancels[n].at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (cancels[n].at_once) {
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
