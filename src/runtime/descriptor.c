/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"

#include "runtime/cancel.h"
#include "runtime/process.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"
#include "runtime/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { DESCRIPTORS = 4096 };

/* What was made here. */
static struct {
	uint64_t inode, device;
	uint32_t epoch; /* processes started before, + 1; 0: not made here */
	int peer;	/* other end + 1 */
	bool is_semaphore;
} made[DESCRIPTORS];

static bool is_known(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS;
}

/* ---- what is behind it ---- */

static enum descriptor_sort sort_of(const struct stat *s)
{
	switch (s->st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return DESCRIPTOR_FILE;
	case S_IFIFO:
		return DESCRIPTOR_PIPE;
	case S_IFSOCK:
		return DESCRIPTOR_SOCKET;
	default:
		return DESCRIPTOR_OTHER;
	}
}

enum descriptor_sort descriptor_sort(int fd)
{
	struct stat s = { 0 };

	return SYS_2(SYS_fstat, fd, &s) == 0 ? sort_of(&s) : DESCRIPTOR_BAD;
}

static bool is_as_made(int fd)
{
	struct stat s = { 0 };

	return is_known(fd) && made[fd].inode &&
	       SYS_2(SYS_fstat, fd, &s) == 0 && s.st_ino == made[fd].inode &&
	       s.st_dev == made[fd].device;
}

bool descriptor_is_inside(int fd)
{
	return is_known(fd) && made[fd].epoch == process_children() + 1 &&
	       is_as_made(fd);
}

void descriptor_made(int fd)
{
	struct stat s = { 0 };

	if (!controlled || !is_known(fd) || SYS_2(SYS_fstat, fd, &s) != 0)
		return;
	made[fd].inode = s.st_ino;
	made[fd].device = s.st_dev;
	made[fd].epoch = process_children() + 1;
	made[fd].peer = 0;
	made[fd].is_semaphore = false;
}

void descriptor_paired(int one, int other)
{
	descriptor_made(one);
	descriptor_made(other);
	if (!controlled || !is_known(one) || !is_known(other))
		return;
	made[one].peer = other + 1;
	made[other].peer = one + 1;
}

void descriptor_semaphore(int fd)
{
	if (controlled && is_known(fd))
		made[fd].is_semaphore = true;
}

int descriptor_peer(int fd)
{
	int other = is_as_made(fd) ? made[fd].peer - 1 : -1;

	return other >= 0 && is_as_made(other) && made[other].peer == fd + 1 ?
		       other :
		       -1;
}

bool descriptor_is_semaphore(int fd)
{
	return is_known(fd) && made[fd].is_semaphore;
}

void descriptor_copied(int from, int to)
{
	if (!controlled || !is_known(to))
		return;
	if (is_known(from))
		made[to] = made[from];
	else
		made[to].epoch = 0;
}

void descriptor_met(int fd)
{
	struct stat s = { 0 };

	if (!controlled || !is_known(fd) || SYS_2(SYS_fstat, fd, &s) != 0)
		return;
	made[fd].epoch = 0;
	for (int i = 0; i < DESCRIPTORS; i++)
		if (made[i].epoch && made[i].inode == s.st_ino &&
		    made[i].device == s.st_dev)
			descriptor_copied(i, fd);
}

void descriptor_opened(int fd)
{
	if (is_known(fd))
		made[fd].epoch = 0;
}

static bool may_wait(int fd, enum descriptor_sort sort)
{
	long flags;

	if (sort == DESCRIPTOR_BAD || sort == DESCRIPTOR_FILE)
		return false;
	flags = SYS_2(SYS_fcntl, fd, F_GETFL);
	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* ---- waiting ---- */

struct thread *descriptor_enter(void)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (t)
		guest_enter(t);
	return t;
}

int descriptor_fail(int error)
{
	errno = error;
	return -1;
}

void descriptor_point(struct thread *t, int fd, uintptr_t pc)
{
	if (turn_live > 1)
		turn_point(t, EVENT_CALL, descriptor_object(fd), pc);
	guest_leave(t);
	cancel_act(t);
}

int descriptor_await(struct thread *t, const struct wish *wish,
		     const volatile void *object, uint64_t deadline,
		     bool can_restart, uintptr_t pc)
{
	enum turn_end end;

	do
		end = blocking_await(t, wish, object, deadline, pc);
	while (end == TURN_SIGNAL && can_restart && signal_restarts(t));
	guest_leave(t);
	cancel_act(t);
	if (end == TURN_CAN)
		return 0;
	return end == TURN_TIME ? EAGAIN : EINTR;
}

/* A socket may have a time limit of its own. */
static uint64_t socket_deadline(int fd, short events)
{
	int option = events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO;
	struct timeval limit = { 0 };
	socklen_t size = sizeof(limit);

	if (SYS_6(SYS_getsockopt, fd, SOL_SOCKET, option, &limit, &size, 0) <
		    0 ||
	    (!limit.tv_sec && !limit.tv_usec))
		return NO_DEADLINE;
	return timing_deadline_after((uint64_t)limit.tv_sec * 1000000000 +
				     (uint64_t)limit.tv_usec * 1000);
}

int descriptor_wait(int fd, short events, uintptr_t pc)
{
	struct thread *t = descriptor_enter();
	struct pollfd one = { .fd = fd, .events = events };
	struct wish wish = { .fds = &one, .count = 1 };
	enum descriptor_sort sort;
	uint64_t deadline = NO_DEADLINE;

	if (!t)
		return 0;
	sort = descriptor_sort(fd);
	if (!may_wait(fd, sort)) {
		descriptor_point(t, fd, pc);
		return 0;
	}
	wish.is_inside = descriptor_is_inside(fd);
	if (sort == DESCRIPTOR_SOCKET)
		deadline = socket_deadline(fd, events);
	/* A socket with a time limit is not begun again (signal(7)). */
	return descriptor_await(t, &wish, descriptor_object(fd), deadline,
				!deadline, pc);
}
