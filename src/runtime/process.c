/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/process.h"

#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Forks, execs and ends of the process.
 *
 * vfork is not wrapped: its child returns first, through the frame of whoever
 * called it, and a wrapper's frame would be gone when the parent returns. It
 * needs no wrapper either, see process.h.
 *
 * Nothing of ours is open: the region is mapped and its descriptor closed, so
 * a program may close all descriptors it can think of.
 */

/* The pid of the observed process, in memory that a fork wipes and a vfork
 * does not. NULL while idle. */
static const long *resident;

bool process_is_observed(void)
{
	return resident && *resident == SYS_0(SYS_getpid);
}

bool process_is_lodger(void)
{
	return resident && *resident && *resident != SYS_0(SYS_getpid);
}

/* ---- fork ---- */

/* A handler of libc's fork, so that it also runs for daemon, forkpty and the
 * like, which do not call fork by its public name. */
static void child_begins(void)
{
	gate = false;
	self = NULL;
}

static pid_t forked(pid_t pid, uintptr_t pc)
{
	struct thread *t;

	if (pid == 0) {
		child_begins();
		return pid;
	}
	t = guest_self();
	if (t && pid > 0)
		record(t, EVENT_FORK, NULL, 0, (unsigned int)pid, pc);
	return pid;
}

EXPORT pid_t fork(void)
{
	return forked(real.fork(), CALLER);
}

EXPORT pid_t _Fork(void)
{
	return forked(real._Fork(), CALLER);
}

EXPORT int daemon(int nochdir, int noclose)
{
	if (guest_self())
		guest_note("the program became a daemon: its child, which goes "
			   "on alone, is not observed");
	return real.daemon(nochdir, noclose);
}

/* ---- exec ---- */

static void exec_begins(uintptr_t pc)
{
	struct thread *t = guest_self();

	if (t && process_is_observed())
		record(t, EVENT_EXEC, NULL, 0, 0, pc);
}

EXPORT int execve(const char *path, char *const *argv, char *const *env)
{
	exec_begins(CALLER);
	return real.execve(path, argv, env);
}

EXPORT int execv(const char *path, char *const *argv)
{
	exec_begins(CALLER);
	return real.execv(path, argv);
}

EXPORT int execvp(const char *file, char *const *argv)
{
	exec_begins(CALLER);
	return real.execvp(file, argv);
}

EXPORT int execvpe(const char *file, char *const *argv, char *const *env)
{
	exec_begins(CALLER);
	return real.execvpe(file, argv, env);
}

EXPORT int execveat(int fd, const char *path, char *const *argv,
		    char *const *env, int flags)
{
	exec_begins(CALLER);
	return real.execveat(fd, path, argv, env, flags);
}

EXPORT int fexecve(int fd, char *const *argv, char *const *env)
{
	exec_begins(CALLER);
	return real.fexecve(fd, argv, env);
}

/* The listed arguments become an array; `argv` has room for it. */
static void list_copy(const char **argv, size_t n, const char *first,
		      va_list *rest)
{
	argv[0] = first;
	for (size_t i = 1; i <= n; i++)
		argv[i] = va_arg(*rest, const char *);
}

static size_t list_count(const char *first, va_list *rest)
{
	size_t n = 0;

	if (!first)
		return 0;
	do
		n++;
	while (va_arg(*rest, const char *));
	return n;
}

#define LIST_ARGV(first)                                                       \
	va_list rest;                                                          \
	size_t n;                                                              \
	const char **argv;                                                     \
                                                                               \
	exec_begins(CALLER);                                                   \
	va_start(rest, first);                                                 \
	n = list_count(first, &rest);                                          \
	va_end(rest);                                                          \
	argv = __builtin_alloca((n + 1) * sizeof(*argv));                      \
	va_start(rest, first);                                                 \
	list_copy(argv, n, first, &rest)

EXPORT int execl(const char *path, const char *first, ...)
{
	LIST_ARGV(first);
	va_end(rest);
	return real.execv(path, (char *const *)argv);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	LIST_ARGV(first);
	va_end(rest);
	return real.execvp(file, (char *const *)argv);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *env;

	LIST_ARGV(first);
	env = va_arg(rest, char *const *);
	va_end(rest);
	return real.execve(path, (char *const *)argv, env);
}

/* ---- the end ---- */

/* Only the observed process closes the record: a lodger ends by _exit too. */
static void process_ends(void)
{
	int kept = errno;

	if (process_is_observed())
		life_close();
	errno = kept;
}

EXPORT void _exit(int status)
{
	process_ends();
	real._exit(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	process_ends();
	real._Exit(status);
	__builtin_unreachable();
}

/* exit and the return of main: after the program's own handlers and the
 * destructors of all that depends on us, threads still running. */
__attribute__((destructor(101))) static void process_exit(void)
{
	process_ends();
}

__attribute__((constructor(102))) static void process_begin(void)
{
	long *pid;

	if (!gate)
		return;
	pid = guest_map(sizeof(*pid));
	if (!pid)
		return;
	*pid = SYS_0(SYS_getpid);
	resident = pid;
	/* Registered first, so the last of these to run. */
	pthread_atfork(NULL, NULL, child_begins);
	at_quick_exit(process_ends);
}
