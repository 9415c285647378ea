/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model_stdio.h"

#include "runtime/control.h"
#include "runtime/model.h"
#include "runtime/real.h"

/*
 * The lock of a stream is looked at where libc keeps it. A thread comes to the
 * real function when the lock is free or its own.
 */

/* What FILE._lock points to. */
struct stream_lock {
	int lock;
	int count;
	const void *owner;
};

enum { USER_LOCK = 0x8000 }; /* of FILE._flags: __fsetlocking */

/* All streams there are. */
extern FILE *_IO_list_all;

/* What fflush(NULL) waits for. */
static const char all_streams;

/* How libc names the threads as owners. */
static pthread_t names[CONTROL_THREADS];

static bool can_use(uint32_t number, uint64_t object)
{
	const FILE *stream = (const FILE *)object;
	const struct stream_lock *l =
		(const struct stream_lock *)(const void *)stream->_lock;

	return !l || stream->_flags & USER_LOCK || !l->lock ||
	       (uintptr_t)l->owner == names[number];
}

static bool can_use_all(uint32_t number, uint64_t object)
{
	(void)object;
	for (const FILE *f = _IO_list_all; f; f = f->_chain)
		if (!can_use(number, (uintptr_t)f))
			return false;
	return true;
}

static void await_stream(struct thread *t, const FILE *stream, uintptr_t pc)
{
	names[t->number] = pthread_self();
	if (stream)
		turn_await(t, EVENT_MUTEX_LOCK, stream, pc, can_use,
			   NO_DEADLINE);
	else
		turn_await(t, EVENT_MUTEX_LOCK, &all_streams, pc, can_use_all,
			   NO_DEADLINE);
}

static void stream_changed(const FILE *stream)
{
	turn_touch(stream);
	turn_touch(&all_streams);
}

/* A stream that is no descriptor: of fopencookie, or in memory. */
static bool has_points_inside(const FILE *stream)
{
	return stream && stream->_fileno < 0;
}

struct stream_use model_stream_enter(FILE *stream, uintptr_t pc)
{
	struct thread *t = guest_self();
	bool locks = has_points_inside(stream);

	if (!t)
		return (struct stream_use){ 0 };
	guest_enter(t);
	await_stream(t, stream, pc);
	control_call_stands(t);
	if (locks) {
		real.flockfile(stream);
		stream_changed(stream);
	}
	guest_leave(t);
	return (struct stream_use){ t, stream, locks };
}

void model_stream_leave(const struct stream_use *use)
{
	struct thread *t = use->thread;

	if (!t || t != guest_self())
		return;
	guest_enter(t);
	if (use->is_locked)
		real.funlockfile(use->stream);
	stream_changed(use->stream);
	guest_leave(t);
}

void model_stream_held(const FILE *stream, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_hold(t, EVENT_MUTEX_LOCK, stream, pc);
	stream_changed(stream);
	guest_leave(t);
}

void model_stream_point(const FILE *stream, enum event_kind kind, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_point(t, kind, stream, pc);
	guest_leave(t);
}

void model_stream_dropped(const FILE *stream)
{
	struct thread *t = guest_self();

	if (!t)
		return;
	guest_enter(t);
	turn_drop(t, stream);
	stream_changed(stream);
	guest_leave(t);
}
