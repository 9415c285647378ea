/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "runtime/real.h"
#include "runtime/timer_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Descriptors come and go. Making one is no point: nobody else knows it yet.
 * Closing one is: whoever waits at the other end sees that.
 */

EXPORT int pipe(int fds[2])
{
	int rc = real.pipe(fds);

	if (rc == 0) {
		descriptor_made(fds[0]);
		descriptor_made(fds[1]);
	}
	return rc;
}

EXPORT int pipe2(int fds[2], int flags)
{
	int rc = real.pipe2(fds, flags);

	if (rc == 0) {
		descriptor_made(fds[0]);
		descriptor_made(fds[1]);
	}
	return rc;
}

EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int rc = real.socketpair(domain, type, protocol, fds);

	if (rc == 0)
		descriptor_paired(fds[0], fds[1]);
	return rc;
}

EXPORT int eventfd(unsigned int value, int flags)
{
	int fd = real.eventfd(value, flags);

	descriptor_made(fd);
	if (flags & EFD_SEMAPHORE)
		descriptor_semaphore(fd);
	return fd;
}

EXPORT int epoll_create(int size)
{
	int fd = real.epoll_create(size);

	descriptor_made(fd);
	return fd;
}

EXPORT int epoll_create1(int flags)
{
	int fd = real.epoll_create1(flags);

	descriptor_made(fd);
	return fd;
}

EXPORT int epoll_ctl(int epoll, int operation, int fd,
		     struct epoll_event *event)
{
	struct thread *t = descriptor_enter();

	if (t) {
		if (operation == EPOLL_CTL_ADD && !descriptor_is_inside(fd))
			descriptor_opened(epoll);
		descriptor_point(t, epoll, CALLER);
	}
	return real.epoll_ctl(epoll, operation, fd, event);
}

EXPORT int dup(int fd)
{
	int to = real.dup(fd);

	descriptor_copied(fd, to);
	return to;
}

EXPORT int dup2(int fd, int to)
{
	int rc;

	if (fd != to) {
		struct thread *t = descriptor_enter();

		if (t)
			descriptor_point(t, to, CALLER);
	}
	rc = real.dup2(fd, to);
	if (rc >= 0 && fd != to) {
		timer_file_closed(to);
		descriptor_copied(fd, to);
	}
	return rc;
}

EXPORT int dup3(int fd, int to, int flags)
{
	struct thread *t = descriptor_enter();
	int rc;

	if (t)
		descriptor_point(t, to, CALLER);
	rc = real.dup3(fd, to, flags);
	if (rc >= 0) {
		timer_file_closed(to);
		descriptor_copied(fd, to);
	}
	return rc;
}

EXPORT int close(int fd)
{
	struct thread *t = descriptor_enter();

	if (t)
		descriptor_point(t, fd, CALLER);
	timer_file_closed(fd);
	return real.close(fd);
}

EXPORT int shutdown(int fd, int how)
{
	struct thread *t = descriptor_enter();

	if (t)
		descriptor_point(t, fd, CALLER);
	return real.shutdown(fd, how);
}
