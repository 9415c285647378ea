/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_format.h"
#include "runtime/descriptor.h"
#include "runtime/heap_control.h"
#include "runtime/real.h"
#include "runtime/world.h"

#include <errno.h>
#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Reading and writing. A read waits until there is something, and then takes
 * what there is. A write waits until there is room for all: into a pipe it goes
 * in pieces that fit whenever the pipe is ready at all.
 *
 * Positioned reads and writes are of files, which do not wait.
 */

/* So much was moved to or from memory of the program. */
static ssize_t moved(const void *at, ssize_t size, uintptr_t pc)
{
	if (size > 0)
		heap_control_lent(at, (size_t)size, pc);
	return size;
}

static ssize_t moved_parts(const struct iovec *parts, int count, ssize_t size,
			   uintptr_t pc)
{
	if (size > 0)
		heap_control_lent_parts(parts, (size_t)count, (size_t)size, pc);
	return size;
}

EXPORT ssize_t read(int fd, void *to, size_t size)
{
	int error = descriptor_wait(fd, POLLIN, CALLER);

	return error ? descriptor_fail(error) :
		       moved(to, real.read(fd, to, size), CALLER);
}

EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
	int error = descriptor_wait(fd, POLLIN, CALLER);

	return error ? descriptor_fail(error) :
		       moved(to, real.__read_chk(fd, to, size, room), CALLER);
}

EXPORT ssize_t readv(int fd, const struct iovec *to, int count)
{
	int error = descriptor_wait(fd, POLLIN, CALLER);

	return error ? descriptor_fail(error) :
		       moved_parts(to, count, real.readv(fd, to, count),
				   CALLER);
}

/* ---- writing ---- */

static bool is_long(int fd, size_t size)
{
	return controlled && size > PIPE_BUF &&
	       descriptor_sort(fd) == DESCRIPTOR_PIPE;
}

static ssize_t write_pieces(int fd, const char *from, size_t size, uintptr_t pc)
{
	size_t done = 0;

	while (done < size) {
		size_t left = size - done;
		int error = descriptor_wait(fd, POLLOUT, pc);
		ssize_t n =
			error ? descriptor_fail(error) :
				real.write(fd, from + done,
					   left < PIPE_BUF ? left : PIPE_BUF);

		if (n < 0)
			return done ? (ssize_t)done : -1;
		moved(from + done, n, pc);
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Something was written, or could not be. */
static ssize_t written(int fd, ssize_t size)
{
	int error = errno;

	if (size > 0 && controlled)
		world_wrote(fd);
	errno = error;
	return size;
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
	int error;

	if (is_long(fd, size))
		return write_pieces(fd, from, size, CALLER);
	error = descriptor_wait(fd, POLLOUT, CALLER);
	if (error)
		return descriptor_fail(error);
	return written(fd, moved(from, real.write(fd, from, size), CALLER));
}

static size_t total(const struct iovec *parts, int count)
{
	size_t size = 0;

	for (int i = 0; i < count && i < IOV_MAX; i++)
		size += parts[i].iov_len;
	return size;
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	ssize_t done = 0;
	int error;

	if (!is_long(fd, total(parts, count))) {
		error = descriptor_wait(fd, POLLOUT, CALLER);
		if (error)
			return descriptor_fail(error);
		done = real.writev(fd, parts, count);
		return written(fd, moved_parts(parts, count, done, CALLER));
	}
	for (int i = 0; i < count; i++) {
		ssize_t n = write_pieces(fd, parts[i].iov_base,
					 parts[i].iov_len, CALLER);

		if (n < 0)
			return done ? done : n;
		done += n;
		if ((size_t)n < parts[i].iov_len)
			break;
	}
	return done;
}

/* ---- printing ---- */

static int print(int fd, const char *format, va_list list, uintptr_t pc)
{
	int error = descriptor_wait(fd, POLLOUT, pc);

	if (error)
		return descriptor_fail(error);
	format_looks(format, list, pc);
	return (int)written(fd, real.vdprintf(fd, format, list));
}

EXPORT int vdprintf(int fd, const char *format, va_list list)
{
	return print(fd, format, list, CALLER);
}

EXPORT int dprintf(int fd, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = print(fd, format, list, CALLER);
	va_end(list);
	return n;
}

/* ---- files ---- */

static void file_point(int fd, uintptr_t pc)
{
	struct thread *t = descriptor_enter();

	if (t)
		descriptor_point(t, fd, pc);
}

EXPORT ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	file_point(fd, CALLER);
	return moved(to, real.pread(fd, to, size, at), CALLER);
}

EXPORT ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
	file_point(fd, CALLER);
	return moved(to, real.pread64(fd, to, size, at), CALLER);
}

EXPORT ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
	file_point(fd, CALLER);
	return moved(from, real.pwrite(fd, from, size, at), CALLER);
}

EXPORT ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at)
{
	file_point(fd, CALLER);
	return moved(from, real.pwrite64(fd, from, size, at), CALLER);
}
