/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DESCRIPTOR_H
#define HEDDLE_DESCRIPTOR_H

/*
 * Descriptors under control: what kind of thing is behind one, who has its
 * other end, and waiting for it.
 *
 * A descriptor is *inside* (blocking.h) when it was made here, is connected
 * with something that was made here (a pipe, a pair of sockets, an event
 * counter), and no process was started since, which would have it too. What we
 * did not see made, or was received from elsewhere, is outside. A file on a
 * disk is neither: it never waits.
 *
 * Descriptors may be closed where we do not see it (fclose). So what is known
 * of one counts only while the same thing is behind it.
 */

#include "runtime/blocking.h"

#include <stdarg.h>

#pragma GCC visibility push(hidden)

enum descriptor_sort {
	DESCRIPTOR_BAD,
	DESCRIPTOR_FILE, /* never waits */
	DESCRIPTOR_PIPE,
	DESCRIPTOR_SOCKET,
	DESCRIPTOR_OTHER,
};

enum descriptor_sort descriptor_sort(int fd);
bool descriptor_is_inside(int fd);

/* These descriptors were just made, connected with each other only. */
void descriptor_made(int fd);
/* This one leads to something that has a name, and may have been made here. */
void descriptor_met(int fd);
/* `to` is now a second name of `from`. */
void descriptor_copied(int from, int to);
/* The same, and they are the two ends of one connection; this one counts as a
 * semaphore. */
void descriptor_paired(int one, int other);
void descriptor_semaphore(int fd);
/* The other end, -1 when it is not known. */
int descriptor_peer(int fd);
bool descriptor_is_semaphore(int fd);
/* An epoll descriptor looks after something from outside. */
void descriptor_opened(int fd);

/* The calling thread, inside, when a call is to be controlled. */
struct thread *descriptor_enter(void);

/* A call that does not wait. The thread was entered and is left. */
void descriptor_point(struct thread *t, int fd, uintptr_t pc);

/* Waits until the descriptor is ready for `events`; a thread that is to be
 * cancelled ends here. 0: go on. Else the error that the call ends with. */
int descriptor_wait(int fd, short events, uintptr_t pc);

/* The same for any wish. The thread was entered and is left; a call that can be
 * begun again after a handler is. */
int descriptor_await(struct thread *t, const struct wish *wish,
		     const volatile void *object, uint64_t deadline,
		     bool can_restart, uintptr_t pc);

static inline void *descriptor_object(int fd)
{
	return (void *)(DESCRIPTOR_OBJECT | (uint32_t)fd);
}

/* Fails a call: errno and -1. */
int descriptor_fail(int error);

#pragma GCC visibility pop

#endif
