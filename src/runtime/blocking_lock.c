/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/descriptor.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Locks of files, and the other ways in which processes wait for each other.
 * Somebody outside may have the lock, so nobody knows whether it is a deadlock.
 */

static int await(struct thread *t, bool (*can)(const struct wish *),
		 const void *arg, int fd, uintptr_t pc)
{
	struct wish wish = { .can = can, .arg = arg };

	return descriptor_await(t, &wish, descriptor_object(fd), NO_DEADLINE,
				true, pc);
}

/* ---- flock ---- */

struct file_lock {
	int fd;
	int operation;
};

/* There is no way to ask but to take it. Taking one anew begins with giving up
 * the old one, so nothing is lost by giving it back. */
static bool flock_is_free(const struct wish *wish)
{
	const struct file_lock *l = wish->arg;

	if (SYS_2(SYS_flock, l->fd, l->operation | LOCK_NB) == -EWOULDBLOCK)
		return false;
	SYS_2(SYS_flock, l->fd, LOCK_UN);
	return true;
}

EXPORT int flock(int fd, int operation)
{
	struct file_lock l = { fd, operation };
	struct thread *t = descriptor_enter();
	int error = 0;

	if (t && (operation & (LOCK_NB | LOCK_UN)))
		descriptor_point(t, fd, CALLER);
	else if (t)
		error = await(t, flock_is_free, &l, fd, CALLER);
	return error ? descriptor_fail(error) : real.flock(fd, operation);
}

/* ---- fcntl and lockf ---- */

struct range_lock {
	int fd;
	int ask; /* F_GETLK or F_OFD_GETLK */
	const struct flock *range;
};

static bool range_is_free(const struct wish *wish)
{
	const struct range_lock *l = wish->arg;
	struct flock copy = *l->range;

	return SYS_3(SYS_fcntl, l->fd, l->ask, &copy) < 0 ||
	       copy.l_type == F_UNLCK;
}

static int range_await(int fd, int command, const struct flock *range,
		       uintptr_t pc)
{
	struct range_lock l = { fd,
				command == F_OFD_SETLKW ? F_OFD_GETLK : F_GETLK,
				range };
	struct thread *t = descriptor_enter();

	if (!t)
		return 0;
	if (range->l_type != F_UNLCK)
		return await(t, range_is_free, &l, fd, pc);
	descriptor_point(t, fd, pc);
	return 0;
}

static int fcntl_call(int fd, int command, void *arg, uintptr_t pc)
{
	int error = 0, rc;

	if (command == F_SETLKW || command == F_OFD_SETLKW)
		error = range_await(fd, command, arg, pc);
	if (error)
		return descriptor_fail(error);
	rc = real.fcntl(fd, command, arg);
	if (rc >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		descriptor_copied(fd, rc);
	return rc;
}

/* The third argument may be an int; it comes back as it was. */
#define FCNTL(name)                                                            \
	EXPORT int name(int fd, int command, ...)                              \
	{                                                                      \
		va_list list;                                                  \
		void *arg;                                                     \
                                                                               \
		va_start(list, command);                                       \
		arg = va_arg(list, void *);                                    \
		va_end(list);                                                  \
		return fcntl_call(fd, command, arg, CALLER);                   \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

static int lockf_call(int fd, int command, off_t size, uintptr_t pc)
{
	struct flock range = { .l_type = F_WRLCK,
			       .l_whence = SEEK_CUR,
			       .l_len = size };
	int error = command == F_LOCK ? range_await(fd, F_SETLKW, &range, pc) :
					0;

	return error ? descriptor_fail(error) : real.lockf(fd, command, size);
}

EXPORT int lockf(int fd, int command, off_t size)
{
	return lockf_call(fd, command, size, CALLER);
}

EXPORT int lockf64(int fd, int command, off64_t size)
{
	return lockf_call(fd, command, size, CALLER);
}

/* ---- named pipes ---- */

/* Opening one waits for somebody who opens the other end. */
static bool open_waits(int at, const char *path, int flags)
{
	struct stat s = { 0 };

	return !(flags & (O_NONBLOCK | O_PATH | O_CREAT)) &&
	       (flags & O_ACCMODE) != O_RDWR &&
	       SYS_4(SYS_newfstatat, at, path, &s, 0) == 0 &&
	       S_ISFIFO(s.st_mode);
}

static int open_call(int at, const char *path, int flags, mode_t mode,
		     uintptr_t pc)
{
	char room[CHANCE_PATH];
	struct thread *t;
	int fd, kept;

	path = chance_path(path, room, pc);
	t = descriptor_enter();
	if (!t)
		return real.openat(at, path, flags, mode);
	fd = chance_open(t, path, flags);
	if (fd >= 0) {
		guest_leave(t);
		return fd;
	}
	if (!open_waits(at, path, flags)) {
		guest_leave(t);
		return real.openat(at, path, flags, mode);
	}
	turn_away(t, EVENT_CALL, NULL, pc);
	guest_leave(t);
	fd = real.openat(at, path, flags, mode);
	kept = errno;
	guest_enter(t);
	turn_back(t);
	guest_leave(t);
	errno = kept;
	return fd;
}

#define OPEN_MODE(flags)                                                       \
	va_list list;                                                          \
	mode_t mode;                                                           \
                                                                               \
	va_start(list, flags);                                                 \
	mode = va_arg(list, mode_t);                                           \
	va_end(list)

EXPORT int open(const char *path, int flags, ...)
{
	OPEN_MODE(flags);
	return open_call(AT_FDCWD, path, flags, mode, CALLER);
}

EXPORT int open64(const char *path, int flags, ...)
{
	OPEN_MODE(flags);
	return open_call(AT_FDCWD, path, flags, mode, CALLER);
}

EXPORT int openat(int at, const char *path, int flags, ...)
{
	OPEN_MODE(flags);
	return open_call(at, path, flags, mode, CALLER);
}

EXPORT int openat64(int at, const char *path, int flags, ...)
{
	OPEN_MODE(flags);
	return open_call(at, path, flags, mode, CALLER);
}

/* ---- System V ---- */

/* Tried without waiting first: most of these do not wait. Leaves the thread
 * away when it is to be made for real. */
static bool must_leave(struct thread *t, long rc, int error, int flags,
		       uintptr_t pc)
{
	bool must = rc == -error && !(flags & IPC_NOWAIT);

	if (must)
		turn_away(t, EVENT_CALL, NULL, pc);
	guest_leave(t);
	return must;
}

static long come_back(struct thread *t, long rc)
{
	int kept = errno;

	guest_enter(t);
	turn_back(t);
	guest_leave(t);
	errno = kept;
	return rc;
}

static long told(long rc)
{
	return rc < 0 ? descriptor_fail((int)-rc) : rc;
}

static struct thread *enter(uintptr_t pc)
{
	struct thread *t = descriptor_enter();

	if (t && turn_live > 1)
		turn_point(t, EVENT_CALL, NULL, pc);
	return t;
}

EXPORT int semop(int id, struct sembuf *operations, size_t count)
{
	struct thread *t = count <= 16 ? enter(CALLER) : NULL;
	struct sembuf copy[16];
	int flags = 0;
	long rc;

	if (!t)
		return real.semop(id, operations, count);
	for (size_t i = 0; i < count; i++) {
		copy[i] = operations[i];
		flags |= copy[i].sem_flg & IPC_NOWAIT;
		copy[i].sem_flg |= IPC_NOWAIT;
	}
	rc = SYS_3(SYS_semop, id, copy, count);
	if (!must_leave(t, rc, EAGAIN, flags, CALLER))
		return (int)told(rc);
	return (int)come_back(t, real.semop(id, operations, count));
}

EXPORT ssize_t msgrcv(int id, void *to, size_t size, long type, int flags)
{
	struct thread *t = enter(CALLER);
	long rc;

	if (!t)
		return real.msgrcv(id, to, size, type, flags);
	rc = SYS_6(SYS_msgrcv, id, to, size, type, flags | IPC_NOWAIT, 0);
	if (!must_leave(t, rc, ENOMSG, flags, CALLER))
		return told(rc);
	return come_back(t, real.msgrcv(id, to, size, type, flags));
}

EXPORT int msgsnd(int id, const void *from, size_t size, int flags)
{
	struct thread *t = enter(CALLER);
	long rc;

	if (!t)
		return real.msgsnd(id, from, size, flags);
	rc = SYS_4(SYS_msgsnd, id, from, size, flags | IPC_NOWAIT);
	if (!must_leave(t, rc, EAGAIN, flags, CALLER))
		return (int)told(rc);
	return (int)come_back(t, real.msgsnd(id, from, size, flags));
}
