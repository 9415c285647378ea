/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"
#include "runtime/timing.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/*
 * Waiting for one of several descriptors, with a time limit on the virtual
 * clock. The wait is for the same thing as the call; then the call itself is
 * made, and does not wait. None of these is begun again after a handler.
 *
 * Those that are given a mask wait with it, so that the real call needs none.
 * What is ready when they begin comes before any signal, as in the kernel.
 */

enum { SECOND = 1000000000, MILLISECOND = 1000000 };

static const struct timespec no_time;

/* A limit that is not there is NULL, and negative milliseconds. */
static uint64_t deadline_of(const struct timespec *limit)
{
	return limit ? timing_deadline_in(limit) : NO_DEADLINE;
}

static bool is_zero(const struct timespec *limit)
{
	return limit && !limit->tv_sec && !limit->tv_nsec;
}

static bool is_valid(const struct timespec *limit)
{
	return !limit || (limit->tv_sec >= 0 && limit->tv_nsec >= 0 &&
			  limit->tv_nsec < SECOND);
}

static const struct timespec *in_ms(int ms, struct timespec *room)
{
	if (ms < 0)
		return NULL;
	*room = (struct timespec){ .tv_sec = ms / 1000,
				   .tv_nsec = (long)(ms % 1000) * MILLISECOND };
	return room;
}

/* ---- poll ---- */

static bool all_inside(const struct pollfd *fds, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (fds[i].fd >= 0 && !descriptor_is_inside(fds[i].fd))
			return false;
	return true;
}

/* Until the call can be made; 0, or an error. */
static int wish_wait(const struct wish *wish, int fd,
		     const struct timespec *limit, const sigset_t *mask,
		     uintptr_t pc)
{
	SIGNAL_MASKED masked = { 0 };
	struct thread *t = guest_self();
	int error;

	if (mask && !(wish->is_inside && wish_is_fulfilled(wish)) &&
	    signal_mask_begin(&masked, t, mask, pc))
		return EINTR;
	/* Who only looks lets in what was there, and was at a point. */
	if (is_zero(limit) && masked.thread)
		return 0;
	guest_enter(t);
	if (is_zero(limit)) {
		descriptor_point(t, fd, pc);
		return 0;
	}
	error = descriptor_await(t, wish, descriptor_object(fd),
				 deadline_of(limit), false, pc);
	return error == EAGAIN ? 0 : error;
}

static int poll_wait(const struct pollfd *fds, nfds_t count,
		     const struct timespec *limit, const sigset_t *mask,
		     uintptr_t pc)
{
	struct wish wish = { .fds = fds,
			     .count = count,
			     .is_inside = all_inside(fds, count) };

	return wish_wait(&wish, count ? fds[0].fd : -1, limit, mask, pc);
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int ms)
{
	struct timespec room;
	int error;

	if (!controlled || !guest_self())
		return real.poll(fds, count, ms);
	error = poll_wait(fds, count, in_ms(ms, &room), NULL, CALLER);
	return error ? descriptor_fail(error) : real.poll(fds, count, 0);
}

EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t room);
EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t room)
{
	struct timespec limit;
	int error;

	if (!controlled || !guest_self())
		return real.__poll_chk(fds, count, ms, room);
	error = poll_wait(fds, count, in_ms(ms, &limit), NULL, CALLER);
	return error ? descriptor_fail(error) :
		       real.__poll_chk(fds, count, 0, room);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *mask)
{
	int error;

	if (!controlled || !guest_self() || !is_valid(limit))
		return real.ppoll(fds, count, limit, mask);
	error = poll_wait(fds, count, limit, mask, CALLER);
	return error ? descriptor_fail(error) :
		       real.ppoll(fds, count, &no_time, NULL);
}

/* ---- select ---- */

struct sets {
	int count;
	const fd_set *read, *write, *except;
};

static bool is_in(const fd_set *set, int fd)
{
	return set && FD_ISSET(fd, set);
}

/* As select itself would find it, on copies of the sets. */
static bool sets_are_ready(const struct wish *wish)
{
	const struct sets *s = wish->arg;
	struct timespec zero = no_time;
	fd_set read, write, except;

	if (s->read)
		read = *s->read;
	if (s->write)
		write = *s->write;
	if (s->except)
		except = *s->except;
	return SYS_6(SYS_pselect6, s->count, s->read ? &read : NULL,
		     s->write ? &write : NULL, s->except ? &except : NULL,
		     &zero, NULL) != 0;
}

static bool sets_are_inside(const struct sets *s)
{
	for (int fd = 0; fd < s->count; fd++)
		if ((is_in(s->read, fd) || is_in(s->write, fd) ||
		     is_in(s->except, fd)) &&
		    !descriptor_is_inside(fd))
			return false;
	return true;
}

static int sets_wait(const struct sets *sets, const struct timespec *limit,
		     const sigset_t *mask, uintptr_t pc)
{
	struct wish wish = { .can = sets_are_ready,
			     .arg = sets,
			     .is_inside = sets_are_inside(sets) };

	return wish_wait(&wish, -1, limit, mask, pc);
}

/* Sets that are larger than their type are left to the watchdog. */
static bool can_wait(int count)
{
	return controlled && guest_self() && count >= 0 && count <= FD_SETSIZE;
}

EXPORT int select(int count, fd_set *read, fd_set *write, fd_set *except,
		  struct timeval *limit)
{
	struct sets sets = { count, read, write, except };
	struct timeval zero = { 0 };
	struct timespec in_ns;
	int error;

	if (!can_wait(count) ||
	    (limit && (limit->tv_sec < 0 || limit->tv_usec < 0)))
		return real.select(count, read, write, except, limit);
	if (limit)
		in_ns = (struct timespec){
			.tv_sec = limit->tv_sec + limit->tv_usec / 1000000,
			.tv_nsec = limit->tv_usec % 1000000 * 1000,
		};
	error = sets_wait(&sets, limit ? &in_ns : NULL, NULL, CALLER);
	return error ? descriptor_fail(error) :
		       real.select(count, read, write, except, &zero);
}

EXPORT int pselect(int count, fd_set *read, fd_set *write, fd_set *except,
		   const struct timespec *limit, const sigset_t *mask)
{
	struct sets sets = { count, read, write, except };
	int error;

	if (!can_wait(count) || !is_valid(limit))
		return real.pselect(count, read, write, except, limit, mask);
	error = sets_wait(&sets, limit, mask, CALLER);
	return error ? descriptor_fail(error) :
		       real.pselect(count, read, write, except, &no_time, NULL);
}

/* ---- epoll ---- */

static int epoll_await(int epoll, const struct timespec *limit,
		       const sigset_t *mask, uintptr_t pc)
{
	struct pollfd one = { .fd = epoll, .events = POLLIN };

	return poll_wait(&one, 1, limit, mask, pc);
}

EXPORT int epoll_wait(int epoll, struct epoll_event *events, int most, int ms)
{
	struct timespec room;
	int error;

	if (!controlled || !guest_self())
		return real.epoll_wait(epoll, events, most, ms);
	error = epoll_await(epoll, in_ms(ms, &room), NULL, CALLER);
	return error ? descriptor_fail(error) :
		       real.epoll_wait(epoll, events, most, 0);
}

EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int most, int ms,
		       const sigset_t *mask)
{
	struct timespec room;
	int error;

	if (!controlled || !guest_self())
		return real.epoll_pwait(epoll, events, most, ms, mask);
	error = epoll_await(epoll, in_ms(ms, &room), mask, CALLER);
	return error ? descriptor_fail(error) :
		       real.epoll_wait(epoll, events, most, 0);
}

EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int most,
			const struct timespec *limit, const sigset_t *mask)
{
	int error;

	if (!controlled || !guest_self() || !is_valid(limit))
		return real.epoll_pwait2(epoll, events, most, limit, mask);
	error = epoll_await(epoll, limit, mask, CALLER);
	return error ? descriptor_fail(error) :
		       real.epoll_wait(epoll, events, most, 0);
}
