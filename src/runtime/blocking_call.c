/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

/*
 * Waiting for processes that the program started, and starting them by more
 * than fork. Children run free, so that they have ended is always news from
 * outside.
 */

/* ---- wait and its like ---- */

struct child {
	idtype_t type;
	id_t id;
	int options; /* of waitid */
};

/* Asks without taking it. An error is for the real call to report. */
static bool child_is_there(const struct wish *wish)
{
	const struct child *c = wish->arg;
	siginfo_t info = { 0 };
	long rc = SYS_6(SYS_waitid, c->type, c->id, &info,
			c->options | WNOHANG | WNOWAIT, NULL, 0);

	return rc < 0 || info.si_pid != 0;
}

/* What waitpid calls a child. */
static struct child child_of(pid_t pid, int options)
{
	struct child c = { .type = P_ALL, .options = options | WEXITED };

	c.options &= ~WNOHANG;
	if (pid > 0) {
		c.type = P_PID;
		c.id = (id_t)pid;
	} else if (pid != -1) {
		c.type = P_PGID;
		c.id = (id_t)-pid;
	}
	return c;
}

enum wait_how { WAIT_CALL, WAIT_NOTHING, WAIT_FAIL };

/* Until the call will not wait, or has nothing to tell, or failed. */
static enum wait_how child_await(const struct child *child, int options,
				 uintptr_t pc)
{
	struct thread *t = descriptor_enter();
	struct wish wish = { .can = child_is_there, .arg = child };
	bool is_there;
	int error;

	if (!t)
		return WAIT_CALL;
	if (options & WNOHANG) {
		is_there = blocking_peek(t, &wish, NULL, pc);
		guest_leave(t);
		return is_there ? WAIT_CALL : WAIT_NOTHING;
	}
	error = descriptor_await(t, &wish, NULL, NO_DEADLINE, true, pc);
	if (!error)
		return WAIT_CALL;
	errno = error;
	return WAIT_FAIL;
}

/* Makes the call when it is time for it. */
#define WAIT_FOR(pid, options, call)                                           \
	do {                                                                   \
		struct child child = child_of(pid, options);                   \
                                                                               \
		switch (child_await(&child, options, CALLER)) {                \
		case WAIT_CALL:                                                \
			return call;                                           \
		case WAIT_NOTHING:                                             \
			return 0;                                              \
		default:                                                       \
			return -1;                                             \
		}                                                              \
	} while (0)

EXPORT pid_t wait(int *status)
{
	WAIT_FOR(-1, 0, real.wait(status));
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	WAIT_FOR(pid, options, real.waitpid(pid, status, options));
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	WAIT_FOR(-1, options, real.wait3(status, options, usage));
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	WAIT_FOR(pid, options, real.wait4(pid, status, options, usage));
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct child child = { .type = type,
			       .id = id,
			       .options = options & ~WNOHANG };

	switch (child_await(&child, options, CALLER)) {
	case WAIT_CALL:
		return real.waitid(type, id, info, options);
	case WAIT_NOTHING:
		if (info)
			info->si_pid = info->si_signo = 0;
		return 0;
	default:
		return -1;
	}
}

/* ---- starting ---- */

EXPORT int posix_spawn(pid_t *pid, const char *path,
		       const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes,
		       char *const argv[restrict], char *const env[restrict])
{
	int rc;

	process_starts(CALLER);
	rc = real.posix_spawn(pid, path, actions, attributes, argv, env);
	process_started();
	return rc;
}

EXPORT int posix_spawnp(pid_t *pid, const char *file,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes,
			char *const argv[restrict], char *const env[restrict])
{
	int rc;

	process_starts(CALLER);
	rc = real.posix_spawnp(pid, file, actions, attributes, argv, env);
	process_started();
	return rc;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	FILE *stream;

	process_starts(CALLER);
	stream = real.popen(command, mode);
	process_started();
	return stream;
}

/* ---- calls that start and wait in one ---- */

/* For the length of a real call others have the turn. Who is to be cancelled
 * ends here, and handlers run here: nothing else may be a point of a loop that
 * calls again and again. */
static struct thread *leave(uintptr_t pc)
{
	struct thread *t = descriptor_enter();

	if (!t)
		return NULL;
	descriptor_point(t, -1, pc);
	guest_enter(t);
	turn_away(t, EVENT_CALL, NULL, pc);
	guest_leave(t);
	return t;
}

static void come_back(struct thread *t)
{
	int kept = errno;

	if (!t)
		return;
	guest_enter(t);
	turn_back(t);
	guest_leave(t);
	errno = kept;
}

EXPORT int system(const char *command)
{
	struct thread *t;
	int rc;

	process_starts(CALLER);
	t = leave(CALLER);
	rc = real.system(command);
	process_started();
	come_back(t);
	return rc;
}

EXPORT int pclose(FILE *stream)
{
	struct thread *t = leave(CALLER);
	int rc = real.pclose(stream);

	come_back(t);
	return rc;
}
