/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settle.h"

#include "runtime/heap.h"
#include "runtime/roster.h"
#include "runtime/runtime.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>

/*
 * A thread ends in the destructor of a key of ours. It arms itself again until
 * the last round of destructors, because those of the program use hooks as
 * well; destructors of C++ thread-local objects run before all of them.
 * However a thread ends, by returning, by pthread_exit or by cancellation, it
 * comes by here.
 */

/* ---- the end ---- */

static pthread_key_t end_key;
static bool end_key_is_there;

static void thread_depart(struct thread *t)
{
	uint64_t mask;

	/* What was sent to it while it lived is handled while it does: it may
	 * have been at no point since. */
	if (controlled)
		signal_deliver_own(t);
	/* A signal put off by a thread that does not come back to the program
	 * would be lost; so none may reach it any more until libc is done. */
	signals_block(&mask);
	if (controlled)
		signal_leave(t);
	roster_ended(t->number);
	life_end();
	if (controlled)
		turn_over(t);
	else
		signals_restore(&mask);
}

static void thread_round(void *rounds)
{
	struct thread *t = self;
	uintptr_t left = (uintptr_t)rounds - 1;

	if (!t || !t->alive)
		return;
	/* A thread that was cancelled never left its functions. */
	t->inside = 0;
	stack_unwind(t, t->stack_high - 1);
	if (left && pthread_setspecific(end_key, (void *)left) == 0)
		return;
	thread_depart(t);
}

/* The first thread to come here is alone: the main one. */
static void end_key_make(void)
{
	if (!end_key_is_there)
		end_key_is_there = pthread_key_create(&end_key, thread_round) ==
				   0;
}

static void end_arm(void)
{
	end_key_make();
	if (!end_key_is_there ||
	    pthread_setspecific(end_key,
				(void *)PTHREAD_DESTRUCTOR_ITERATIONS) != 0)
		guest_note("the ends of threads cannot be seen: no room for a "
			   "key of thread-specific data");
}

/* ---- stacks ---- */

static struct {
	uintptr_t low, high;
} main_stack;

/* The main stack ends above the name of the program, which the kernel put at
 * its very top, and may grow to the limit. */
static void main_stack_find(void)
{
	enum { PAGE = 4096, UNLIMITED = 1 << 30 };
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	uintptr_t top = getauxval(AT_EXECFN);

	if (!top)
		top = (uintptr_t)__builtin_frame_address(0);
	SYS_4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	if (limit.rlim_cur > UNLIMITED)
		limit.rlim_cur = UNLIMITED;
	main_stack.high = (top + 2 * PAGE) & ~(uintptr_t)(PAGE - 1);
	main_stack.low = main_stack.high - limit.rlim_cur;
}

static void bounds_of_main(struct thread *t)
{
	if (!main_stack.high)
		main_stack_find();
	t->stack_low = main_stack.low;
	t->stack_high = main_stack.high;
}

/* libc knows, but allocates in order to tell (a set of processors): from the
 * memory given here, see heap.h. */
static void bounds_of_other(struct thread *t, int *state)
{
	char room[4096];
	pthread_attr_t attr;
	void *low;
	size_t size;

	heap_lend(room, sizeof(room));
	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		if (pthread_attr_getstack(&attr, &low, &size) == 0) {
			t->stack_low = (uintptr_t)low;
			t->stack_high = (uintptr_t)low + size;
		}
		pthread_attr_getdetachstate(&attr, state);
		pthread_attr_destroy(&attr);
	}
	heap_lend(NULL, 0);
}

static void stack_forget(const struct thread *t)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	/* Another thread's life was in it before. */
	if (t->stack_low && t->stack_low < here)
		access_forget((void *)t->stack_low, here - t->stack_low);
}

void settle_prepare(void)
{
	main_stack_find();
	end_key_make();
}

static bool is_main(const struct thread *t)
{
	return region->threads[t->number].kernel_tid ==
	       atomic_load(&region->guest_pid);
}

void settle(struct thread *t, enum settle_how how)
{
	int state = PTHREAD_CREATE_JOINABLE;
	int kept = errno;

	if (how != SETTLE_CREATED && is_main(t)) {
		bounds_of_main(t);
	} else if (region->threads[t->number].stack_high) {
		/* Known from stacks.c. */
		t->stack_low = region->threads[t->number].stack_low;
		t->stack_high = region->threads[t->number].stack_high;
	} else {
		bounds_of_other(t, &state);
		stack_forget(t);
	}
	region->threads[t->number].stack_low = t->stack_low;
	region->threads[t->number].stack_high = t->stack_high;
	roster_add(t->number, pthread_self());
	if (how == SETTLE_ADOPTED && state == PTHREAD_CREATE_DETACHED) {
		roster_detached(t->number);
		life_forget(t->number);
	}
	end_arm();
	errno = kept;
}
