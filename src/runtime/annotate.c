/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/server.h"
#include "runtime/turn.h"

#include "heddle.h"

#include <errno.h>

/*
 * What the program says of itself: by heddle.h, and by the names that programs
 * annotated for other tools use already.
 */

static void note(enum event_kind kind, const volatile void *addr, size_t size,
		 uint64_t arg, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (t)
		record(t, kind, addr, size, arg, pc);
}

/* Regions nest; the outermost is told. */
static void ignore_begin(uintptr_t pc)
{
	struct thread *t = guest_self();

	if (t && t->ignoring++ == 0)
		record(t, EVENT_NOTE_IGNORE, NULL, 0, 1, pc);
}

static void ignore_end(uintptr_t pc)
{
	struct thread *t = guest_self();

	if (t && t->ignoring && --t->ignoring == 0)
		record(t, EVENT_NOTE_IGNORE, NULL, 0, 0, pc);
}

/* ---- heddle.h ---- */

EXPORT void heddle_on_benign(const volatile void *addr, size_t size)
{
	note(EVENT_NOTE_BENIGN, addr, size, 0, CALLER);
}

EXPORT void heddle_on_ignore_begin(void)
{
	ignore_begin(CALLER);
}

EXPORT void heddle_on_ignore_end(void)
{
	ignore_end(CALLER);
}

EXPORT void heddle_on_release(const volatile void *addr)
{
	note(EVENT_NOTE_RELEASE, addr, 0, 0, CALLER);
}

EXPORT void heddle_on_acquire(const volatile void *addr)
{
	note(EVENT_NOTE_ACQUIRE, addr, 0, 0, CALLER);
}

EXPORT void heddle_on_ready(void)
{
	if (control)
		server_ready();
}

EXPORT void heddle_on_point(void)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (!t || turn_live == 1)
		return;
	guest_enter(t);
	turn_point(t, EVENT_TIME, NULL, CALLER);
	guest_leave(t);
}

/* ---- __tsan_acquire and its like ---- */

EXPORT void __tsan_acquire(void *addr);
EXPORT void __tsan_acquire(void *addr)
{
	note(EVENT_NOTE_ACQUIRE, addr, 0, 0, CALLER);
}

EXPORT void __tsan_release(void *addr);
EXPORT void __tsan_release(void *addr)
{
	note(EVENT_NOTE_RELEASE, addr, 0, 0, CALLER);
}

EXPORT void __tsan_ignore_thread_begin(void);
EXPORT void __tsan_ignore_thread_begin(void)
{
	ignore_begin(CALLER);
}

EXPORT void __tsan_ignore_thread_end(void);
EXPORT void __tsan_ignore_thread_end(void)
{
	ignore_end(CALLER);
}

/*
 * Home-made locks. They may be held for reading, so they are read-write locks
 * here. What the lock does inside (from pre to post) is its own affair and not
 * recorded, but for atomic accesses.
 */
enum {
	MUTEX_READ_LOCK = 1 << 3,
	MUTEX_TRY_LOCK_FAILED = 1 << 5,
};

static void mutex_enter(int step)
{
	struct thread *t = guest_self();

	if (t && (step > 0 || t->ignoring))
		t->ignoring += (uint32_t)step;
}

EXPORT void __tsan_mutex_create(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_create(void *addr, unsigned int flags)
{
	(void)flags;
	note(EVENT_RWLOCK_INIT, addr, 0, 0, CALLER);
}

EXPORT void __tsan_mutex_destroy(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_destroy(void *addr, unsigned int flags)
{
	(void)flags;
	note(EVENT_RWLOCK_DESTROY, addr, 0, 0, CALLER);
}

EXPORT void __tsan_mutex_pre_lock(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_pre_lock(void *addr, unsigned int flags)
{
	(void)addr;
	(void)flags;
	mutex_enter(1);
}

EXPORT void __tsan_mutex_post_lock(void *addr, unsigned int flags, int levels);
EXPORT void __tsan_mutex_post_lock(void *addr, unsigned int flags, int levels)
{
	(void)levels;
	mutex_enter(-1);
	if (flags & MUTEX_TRY_LOCK_FAILED)
		note(EVENT_RWLOCK_FAIL, addr, 0, EBUSY, CALLER);
	else if (flags & MUTEX_READ_LOCK)
		note(EVENT_RWLOCK_RDLOCK, addr, 0, 0, CALLER);
	else
		note(EVENT_RWLOCK_WRLOCK, addr, 0, 0, CALLER);
}

EXPORT int __tsan_mutex_pre_unlock(void *addr, unsigned int flags);
EXPORT int __tsan_mutex_pre_unlock(void *addr, unsigned int flags)
{
	(void)flags;
	note(EVENT_RWLOCK_UNLOCK, addr, 0, 0, CALLER);
	mutex_enter(1);
	return 1;
}

EXPORT void __tsan_mutex_post_unlock(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_post_unlock(void *addr, unsigned int flags)
{
	(void)addr;
	(void)flags;
	mutex_enter(-1);
}

EXPORT void __tsan_mutex_pre_signal(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_pre_signal(void *addr, unsigned int flags)
{
	(void)addr;
	(void)flags;
	mutex_enter(1);
}

EXPORT void __tsan_mutex_post_signal(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_post_signal(void *addr, unsigned int flags)
{
	(void)addr;
	(void)flags;
	mutex_enter(-1);
}

/* Out of the lock's own code for a while, and back. */
EXPORT void __tsan_mutex_pre_divert(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_pre_divert(void *addr, unsigned int flags)
{
	(void)addr;
	(void)flags;
	mutex_enter(-1);
}

EXPORT void __tsan_mutex_post_divert(void *addr, unsigned int flags);
EXPORT void __tsan_mutex_post_divert(void *addr, unsigned int flags)
{
	(void)addr;
	(void)flags;
	mutex_enter(1);
}

/*
 * Fibers. Their switches are not followed: what a fiber does counts as done by
 * the thread it runs in, and call stacks of fibers get mixed up.
 */

EXPORT void *__tsan_get_current_fiber(void);
EXPORT void *__tsan_get_current_fiber(void)
{
	static char fiber;

	return &fiber;
}

EXPORT void *__tsan_create_fiber(unsigned int flags);
EXPORT void *__tsan_create_fiber(unsigned int flags)
{
	(void)flags;
	guest_note("the program uses fibers: what they do counts as done by "
		   "their thread, and call stacks may be wrong");
	return __tsan_get_current_fiber();
}

EXPORT void __tsan_destroy_fiber(void *fiber);
EXPORT void __tsan_destroy_fiber(void *fiber)
{
	(void)fiber;
}

EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned int flags);
EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned int flags)
{
	(void)fiber;
	(void)flags;
}

EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
	(void)fiber;
	(void)name;
}
