/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"
#include "runtime/sys.h"

#include <limits.h>
#include <linux/futex.h>

/*
 * Something done once: ONCE_DONE in the thread that did it, before others are
 * let through; ONCE_PASS in every thread that goes on because it is done, each
 * time.
 *
 * An initialiser may give up (exception, cancellation), and another thread then
 * begins where it left. That order is recorded as a NOTE_RELEASE of the object
 * by the one and a NOTE_ACQUIRE by whoever begins.
 *
 * Compiled code looks at the first byte of a guard by itself, with an atomic
 * load, which its hook records; only when that is 0 does it come here. So a
 * guard's ONCE_DONE is followed by the atomic store that such loads see.
 */

/* ---- pthread_once and call_once ---- */

/* The initialiser takes no argument, so ours finds the program's here. Calls
 * nest when an initialiser uses another once. */
struct once_call {
	const volatile void *once;
	void (*initialise)(void);
	struct once_call *outer;
	uintptr_t pc;
	bool done;
};

static __thread struct once_call *innermost;

static void once_end(struct once_call **call)
{
	enum event_kind kind = (*call)->done ? EVENT_ONCE_DONE :
					       EVENT_NOTE_RELEASE;

	sync_record(kind, (*call)->once, 0, (*call)->pc);
}

static void once_run(void)
{
	struct once_call *call __attribute__((cleanup(once_end))) = innermost;

	innermost = call->outer;
	sync_record(EVENT_NOTE_ACQUIRE, call->once, 0, call->pc);
	if (controlled)
		model_once_won((const void *)call->once, call->pc);
	call->initialise();
	if (controlled)
		model_once_point((const void *)call->once, call->pc);
	call->done = true;
}

/* When the real function is over, however it ended: until then the object says
 * that somebody is at it. */
static void once_left(struct once_call *call)
{
	if (controlled)
		model_once_leave((const void *)call->once);
}

EXPORT int pthread_once(pthread_once_t *once, void (*initialise)(void))
{
	struct once_call call __attribute__((cleanup(once_left))) = {
		.once = once,
		.initialise = initialise,
		.outer = innermost,
		.pc = CALLER,
	};
	int rc;

	if (!guest_self())
		return real.pthread_once(once, initialise);
	if (controlled)
		model_once_enter(once, call.pc);
	innermost = &call;
	rc = real.pthread_once(once, once_run);
	innermost = call.outer;
	if (rc == 0)
		sync_record(EVENT_ONCE_PASS, once, 0, call.pc);
	return rc;
}

EXPORT void call_once(once_flag *once, void (*initialise)(void))
{
	struct once_call call __attribute__((cleanup(once_left))) = {
		.once = once,
		.initialise = initialise,
		.outer = innermost,
		.pc = CALLER,
	};

	if (!guest_self()) {
		real.call_once(once, initialise);
		return;
	}
	if (controlled)
		model_once_enter((const int *)once, call.pc);
	innermost = &call;
	real.call_once(once, once_run);
	innermost = call.outer;
	sync_record(EVENT_ONCE_PASS, once, 0, call.pc);
}

/* ---- static variables of C++ functions ---- */

/*
 * Our own guards, in the layout of libstdc++, for want of real ones: a program
 * in C that loads a plugin in C++ has the C++ runtime where we cannot look it
 * up, and the plugin finds us before it.
 */
enum {
	GUARD_DONE = 1,
	GUARD_BUSY = 1 << 8,
	GUARD_AWAITED = 1 << 16,
};

static int guard_acquire(uint64_t *guard)
{
	uint32_t *word = (uint32_t *)guard;

	for (;;) {
		uint32_t seen = 0;

		/* Pairs with the releases in guard_leave. */
		if (__atomic_compare_exchange_n(word, &seen, GUARD_BUSY, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return 1;
		if (seen & GUARD_DONE)
			return 0;
		if (!(seen & GUARD_AWAITED) &&
		    !__atomic_compare_exchange_n(
			    word, &seen, seen | GUARD_AWAITED, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		SYS_4(SYS_futex, word, FUTEX_WAIT_PRIVATE,
		      GUARD_BUSY | GUARD_AWAITED, NULL);
	}
}

static void guard_leave(uint64_t *guard, uint32_t state)
{
	uint32_t *word = (uint32_t *)guard;

	/* Pairs with the acquire in guard_acquire, and in compiled code. */
	if (__atomic_exchange_n(word, state, __ATOMIC_RELEASE) & GUARD_AWAITED)
		SYS_3(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
	int first;

	REAL_READY();
	if (controlled)
		model_guard_enter(guard, CALLER);
	first = real.__cxa_guard_acquire ? real.__cxa_guard_acquire(guard) :
					   guard_acquire(guard);
	if (controlled && first)
		model_once_won(guard, CALLER);
	sync_record(first ? EVENT_NOTE_ACQUIRE : EVENT_ONCE_PASS, guard, 0,
		    CALLER);
	return first;
}

EXPORT void __cxa_guard_release(uint64_t *guard)
{
	struct thread *t = guest_self();

	if (controlled)
		model_once_point(guard, CALLER);
	if (t) {
		record(t, EVENT_ONCE_DONE, guard, 0, 0, CALLER);
		record(t, EVENT_ATOMIC_STORE, guard, 1, __ATOMIC_RELEASE,
		       CALLER);
	}
	if (real.__cxa_guard_release)
		real.__cxa_guard_release(guard);
	else
		guard_leave(guard, GUARD_DONE);
	if (controlled)
		model_once_leave(guard);
}

EXPORT void __cxa_guard_abort(uint64_t *guard)
{
	if (controlled)
		model_once_point(guard, CALLER);
	sync_record(EVENT_NOTE_RELEASE, guard, 0, CALLER);
	if (real.__cxa_guard_abort)
		real.__cxa_guard_abort(guard);
	else
		guard_leave(guard, 0);
	if (controlled)
		model_once_leave(guard);
}
