/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "runtime/heap_control.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "runtime/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>

/*
 * Message queues. On Linux they are descriptors that can be polled, though they
 * look like files. A queue that is not there yet when it is opened is made here
 * and taken for ours alone; any other one may have others at its other end.
 */

/* ---- opening ---- */

static mqd_t queue_open(const char *name, int flags, mode_t mode,
			struct mq_attr *attributes)
{
	mqd_t queue;

	if (controlled && flags & O_CREAT) {
		queue = real.mq_open(name, flags | O_EXCL, mode, attributes);
		if (queue >= 0)
			descriptor_made(queue);
		if (queue >= 0 || errno != EEXIST || flags & O_EXCL)
			return queue;
	}
	queue = real.mq_open(name, flags, mode, attributes);
	if (queue >= 0)
		descriptor_met(queue);
	return queue;
}

EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
	struct mq_attr *attributes;
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = va_arg(list, mode_t);
	attributes = va_arg(list, struct mq_attr *);
	va_end(list);
	return queue_open(name, flags, mode, attributes);
}

/* Of a fortified program. */
EXPORT mqd_t __mq_open_2(const char *name, int flags);
EXPORT mqd_t __mq_open_2(const char *name, int flags)
{
	mqd_t queue = real.__mq_open_2(name, flags);

	if (queue >= 0)
		descriptor_met(queue);
	return queue;
}

/* ---- waiting ---- */

static bool is_good(const struct timespec *until)
{
	return until->tv_sec >= 0 && until->tv_nsec >= 0 &&
	       until->tv_nsec < 1000000000;
}

/* 0: the real call will not wait. */
static int queue_await(mqd_t queue, short events, const struct timespec *until,
		       uintptr_t pc)
{
	struct pollfd one = { .fd = queue, .events = events };
	struct wish wish = { .fds = &one, .count = 1 };
	struct thread *t = descriptor_enter();
	uint64_t deadline = NO_DEADLINE;
	long flags;
	int error;

	if (!t)
		return 0;
	flags = SYS_2(SYS_fcntl, queue, F_GETFL);
	if (flags < 0 || flags & O_NONBLOCK || (until && !is_good(until))) {
		descriptor_point(t, queue, pc);
		return 0;
	}
	wish.is_inside = descriptor_is_inside(queue);
	if (until)
		deadline = timing_deadline(CLOCK_REALTIME, until);
	error = descriptor_await(t, &wish, descriptor_object(queue), deadline,
				 true, pc);
	return error == EAGAIN ? ETIMEDOUT : error;
}

/* ---- receiving ---- */

static ssize_t received(const char *to, ssize_t size, uintptr_t pc)
{
	if (size > 0)
		heap_control_lent(to, (size_t)size, pc);
	return size;
}

EXPORT ssize_t mq_receive(mqd_t queue, char *to, size_t room,
			  unsigned int *priority)
{
	int error = queue_await(queue, POLLIN, NULL, CALLER);

	if (error)
		return descriptor_fail(error);
	return received(to, real.mq_receive(queue, to, room, priority), CALLER);
}

EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict to, size_t room,
			       unsigned int *restrict priority,
			       const struct timespec *restrict until)
{
	int error = queue_await(queue, POLLIN, until, CALLER);

	if (error)
		return descriptor_fail(error);
	return received(to,
			real.mq_timedreceive(queue, to, room, priority, until),
			CALLER);
}

/* ---- sending ---- */

EXPORT int mq_send(mqd_t queue, const char *from, size_t size,
		   unsigned int priority)
{
	int error = queue_await(queue, POLLOUT, NULL, CALLER);

	if (error)
		return descriptor_fail(error);
	heap_control_lent(from, size, CALLER);
	return real.mq_send(queue, from, size, priority);
}

EXPORT int mq_timedsend(mqd_t queue, const char *from, size_t size,
			unsigned int priority, const struct timespec *until)
{
	int error = queue_await(queue, POLLOUT, until, CALLER);

	if (error)
		return descriptor_fail(error);
	heap_control_lent(from, size, CALLER);
	return real.mq_timedsend(queue, from, size, priority, until);
}

EXPORT int mq_close(mqd_t queue)
{
	struct thread *t = descriptor_enter();

	if (t)
		descriptor_point(t, queue, CALLER);
	return real.mq_close(queue);
}
