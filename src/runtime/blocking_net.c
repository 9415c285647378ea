/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "runtime/heap_control.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "runtime/world.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>

/*
 * Sockets. What is sent waits until all of it has found room, as the program
 * expects of a socket that waits; it goes in pieces that do not.
 */

static bool is_controlled(int flags)
{
	return controlled && guest_self() && !(flags & MSG_DONTWAIT);
}

/* A call that was told not to wait. */
static void point(int fd, uintptr_t pc)
{
	struct thread *t = descriptor_enter();

	if (t)
		descriptor_point(t, fd, pc);
}

static int ready(int fd, short events, int flags, uintptr_t pc)
{
	if (is_controlled(flags))
		return descriptor_wait(fd, events, pc);
	point(fd, pc);
	return 0;
}

/* So much was moved to or from memory of the program. */
static ssize_t moved(const void *at, ssize_t size, uintptr_t pc)
{
	if (size > 0)
		heap_control_lent(at, (size_t)size, pc);
	return size;
}

/* The result may be more than there was room for (MSG_TRUNC). */
static ssize_t received(const void *at, size_t room, ssize_t size, uintptr_t pc)
{
	moved(at, size < 0 || (size_t)size < room ? size : (ssize_t)room, pc);
	return size;
}

static ssize_t moved_parts(const struct msghdr *message, ssize_t size,
			   uintptr_t pc)
{
	if (size > 0)
		heap_control_lent_parts(message->msg_iov, message->msg_iovlen,
					(size_t)size, pc);
	return size;
}

/* ---- receiving ---- */

/* Until the buffer is full. */
static ssize_t recv_all(int fd, char *to, size_t size, int flags, uintptr_t pc)
{
	size_t done = 0;

	while (done < size) {
		int error = descriptor_wait(fd, POLLIN, pc);
		ssize_t n = error ? descriptor_fail(error) :
				    real.recv(fd, to + done, size - done,
					      flags & ~MSG_WAITALL);

		if (n <= 0)
			return done ? (ssize_t)done : n;
		moved(to + done, n, pc);
		done += (size_t)n;
	}
	return (ssize_t)done;
}

EXPORT ssize_t recv(int fd, void *to, size_t size, int flags)
{
	int error;

	if (flags & MSG_WAITALL && !(flags & MSG_PEEK) && is_controlled(flags))
		return recv_all(fd, to, size, flags, CALLER);
	error = ready(fd, POLLIN, flags, CALLER);
	if (error)
		return descriptor_fail(error);
	return received(to, size, real.recv(fd, to, size, flags), CALLER);
}

EXPORT ssize_t __recv_chk(int fd, void *to, size_t size, size_t room,
			  int flags);
EXPORT ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags)
{
	int error = ready(fd, POLLIN, flags, CALLER);

	if (error)
		return descriptor_fail(error);
	return received(to, size, real.__recv_chk(fd, to, size, room, flags),
			CALLER);
}

EXPORT ssize_t recvfrom(int fd, void *to, size_t size, int flags,
			struct sockaddr *from, socklen_t *length)
{
	int error = ready(fd, POLLIN, flags, CALLER);

	if (error)
		return descriptor_fail(error);
	return received(to, size,
			real.recvfrom(fd, to, size, flags, from, length),
			CALLER);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t size, size_t room,
			      int flags, struct sockaddr *from,
			      socklen_t *length);
EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t size, size_t room,
			      int flags, struct sockaddr *from,
			      socklen_t *length)
{
	int error = ready(fd, POLLIN, flags, CALLER);

	if (error)
		return descriptor_fail(error);
	return received(to, size,
			real.__recvfrom_chk(fd, to, size, room, flags, from,
					    length),
			CALLER);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	int error = ready(fd, POLLIN, flags, CALLER);

	return error ? descriptor_fail(error) :
		       moved_parts(message, real.recvmsg(fd, message, flags),
				   CALLER);
}

/* ---- sending ---- */

/* Something was sent, or could not be. */
static ssize_t sent(int fd, ssize_t size)
{
	int error = errno;

	if (size > 0)
		world_wrote(fd);
	errno = error;
	return size;
}

static ssize_t send_all(int fd, const char *from, size_t size, int flags,
			uintptr_t pc)
{
	size_t done = 0;

	do {
		int error = descriptor_wait(fd, POLLOUT, pc);
		ssize_t n = error ? descriptor_fail(error) :
				    real.send(fd, from + done, size - done,
					      flags | MSG_DONTWAIT);

		if (n < 0 && !error && errno == EAGAIN)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -1;
		moved(from + done, n, pc);
		done += (size_t)n;
	} while (done < size);
	return (ssize_t)done;
}

EXPORT ssize_t send(int fd, const void *from, size_t size, int flags)
{
	long status = SYS_2(SYS_fcntl, fd, F_GETFL);

	if (is_controlled(flags) && status >= 0 && !(status & O_NONBLOCK))
		return sent(fd, send_all(fd, from, size, flags, CALLER));
	point(fd, CALLER);
	return sent(fd, moved(from, real.send(fd, from, size, flags), CALLER));
}

EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags,
		      const struct sockaddr *to, socklen_t length)
{
	int error = ready(fd, POLLOUT, flags, CALLER);

	if (error)
		return descriptor_fail(error);
	return sent(fd,
		    moved(from, real.sendto(fd, from, size, flags, to, length),
			  CALLER));
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	int error = ready(fd, POLLOUT, flags, CALLER);

	if (error)
		return descriptor_fail(error);
	return sent(fd, moved_parts(message, real.sendmsg(fd, message, flags),
				    CALLER));
}

/* ---- connections ---- */

EXPORT int accept(int fd, struct sockaddr *from, socklen_t *length)
{
	int error = descriptor_wait(fd, POLLIN, CALLER);

	return error ? descriptor_fail(error) : real.accept(fd, from, length);
}

EXPORT int accept4(int fd, struct sockaddr *from, socklen_t *length, int flags)
{
	int error = descriptor_wait(fd, POLLIN, CALLER);

	return error ? descriptor_fail(error) :
		       real.accept4(fd, from, length, flags);
}

struct attempt {
	int fd;
	const struct sockaddr *to;
	socklen_t length;
	long *result; /* of the kernel */
};

/* Connects without waiting. A queue that is full says EAGAIN, and there is
 * nothing to poll for. */
static bool attempt_made(const struct wish *wish)
{
	const struct attempt *a = wish->arg;

	if (*a->result != -EAGAIN)
		return true;
	*a->result = SYS_3(SYS_connect, a->fd, a->to, a->length);
	return *a->result != -EAGAIN;
}

static int connect_result(int fd)
{
	int error = 0;
	socklen_t size = sizeof(error);

	SYS_6(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size, 0);
	return error;
}

static int connect_await(struct thread *t, int fd, const struct sockaddr *to,
			 socklen_t length, uintptr_t pc)
{
	long result = -EAGAIN;
	struct attempt a = { fd, to, length, &result };
	struct wish wish = { .can = attempt_made, .arg = &a };
	int error;

	error = descriptor_await(t, &wish, descriptor_object(fd), NO_DEADLINE,
				 true, pc);
	if (error)
		return error;
	if (result != -EINPROGRESS)
		return (int)-result;
	error = descriptor_wait(fd, POLLOUT, pc);
	return error ? error : connect_result(fd);
}

EXPORT int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	struct thread *t = descriptor_enter();
	long flags = SYS_2(SYS_fcntl, fd, F_GETFL);
	int error;

	if (!t)
		return real.connect(fd, to, length);
	if (flags < 0 || flags & O_NONBLOCK) {
		descriptor_point(t, fd, CALLER);
		return real.connect(fd, to, length);
	}
	SYS_3(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	error = connect_await(t, fd, to, length, CALLER);
	SYS_3(SYS_fcntl, fd, F_SETFL, flags);
	return error ? descriptor_fail(error) : 0;
}
