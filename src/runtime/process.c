/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/process.h"

#include "format/put.h"
#include "runtime/chance_counter.h"
#include "runtime/control.h"
#include "runtime/ending.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Forks, execs and ends of the process.
 *
 * The child of vfork returns first, through the frame of whoever called it, and
 * a wrapper's frame would be gone when the parent returns. So it is only
 * counted; it needs no more, see process.h.
 *
 * Nothing of ours is open: the region is mapped and its descriptor closed, so
 * a program may close all descriptors it can think of.
 */

/* The pid of the observed process, in memory that a fork wipes and a vfork
 * does not. NULL while idle. */
static const long *resident;
static long *resident_pid;

/* The program was about to start a process, perhaps one that lodges here. As
 * long as it was not, nobody needs to ask the kernel who runs. */
static bool is_shared;

bool process_is_observed(void)
{
	return resident && *resident && !process_is_lodger();
}

bool process_is_lodger(void)
{
	return is_shared && resident && *resident &&
	       *resident != SYS_0(SYS_getpid);
}

/* ---- fork ---- */

/* A handler of libc's fork, so that it also runs for daemon, forkpty and the
 * like, which do not call fork by its public name. */
static void child_begins(void)
{
	gate = false;
	recording = false;
	self = NULL;
	control_leave();
}

static uint32_t children;

uint32_t process_children(void)
{
	return children;
}

void process_starts(uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	is_shared = true;
	if (!t || process_is_lodger())
		return;
	guest_enter(t);
	if (turn_live > 1)
		turn_point(t, EVENT_FORK, NULL, pc);
	counter_let_go();
	children++;
	control->run.children++;
	guest_leave(t);
}

void process_started(void)
{
	counter_take_up();
}

static pid_t forked(pid_t pid, uintptr_t pc)
{
	struct thread *t;

	if (pid == 0) {
		child_begins();
		return pid;
	}
	process_started();
	t = guest_self();
	if (t && pid > 0) {
		record(t, EVENT_FORK, NULL, 0, (unsigned int)pid, pc);
		if (recording)
			guest_note("the program made a child by fork; what the "
				   "child did was not observed");
	}
	return pid;
}

EXPORT pid_t fork(void)
{
	process_starts(CALLER);
	return forked(real.fork(), CALLER);
}

EXPORT pid_t _Fork(void)
{
	process_starts(CALLER);
	return forked(real._Fork(), CALLER);
}

pid_t process_fork_raw(long number, const long *arguments, uintptr_t pc)
{
	process_starts(pc);
	return forked((pid_t)real.syscall(number, arguments[0], arguments[1],
					  arguments[2], arguments[3],
					  arguments[4], arguments[5]),
		      pc);
}

void process_shares_memory(void)
{
	is_shared = true;
	guest_note("the program calls clone by itself, for a thread or a "
		   "process in the same memory, which is not controlled");
}

/* Its child returns first, through the frame of whoever called it: nothing of
 * ours may be on the stack then. */
__attribute__((used)) static void vfork_starts(uintptr_t pc)
{
	process_starts(pc);
	counter_is_lost();
}

EXPORT __attribute__((naked)) pid_t vfork(void)
{
	__asm__("mov (%%rsp), %%rdi\n\t"
		"sub $8, %%rsp\n\t"
		"call vfork_starts\n\t"
		"add $8, %%rsp\n\t"
		"jmp *real+%c0(%%rip)"
		:
		: "i"(offsetof(struct real, vfork)));
}

EXPORT int daemon(int nochdir, int noclose)
{
	if (guest_self())
		guest_note("the program became a daemon: its child, which goes "
			   "on alone, is not observed");
	return real.daemon(nochdir, noclose);
}

/* ---- exec ---- */

/* That the program is not controlled from here on is the outcome, unless there
 * was one before, or exec fails. */
static bool exec_is_outcome;

static bool is_short(const char *path)
{
	enum { LONGEST = CONTROL_TEXT / 2 };
	size_t n = 0;

	while (n < LONGEST && path[n])
		n++;
	return n && n < LONGEST;
}

/* It may be a script that starts the program which is meant: says which. */
static void exec_tell(struct thread *t, const char *path, uintptr_t pc)
{
	char text[CONTROL_TEXT];
	char *end = put_text(text, "the program replaced itself by ");

	end = put_text(end, path && is_short(path) ? path : "another");
	put_text(end, " (exec), which is not controlled; run that itself");
	exec_is_outcome = control_outcome()->kind == OUTCOME_NONE;
	control_tell(t, OUTCOME_UNCONTROLLED, text, pc);
}

static void exec_begins(const char *path, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t || !process_is_observed())
		return;
	record(t, EVENT_EXEC, NULL, 0, 0, pc);
	if (controlled) {
		counter_let_go();
		exec_tell(t, path, pc);
	}
}

/* exec returns only if it failed. */
static int exec_failed(int rc)
{
	if (!controlled || !process_is_observed())
		return rc;
	counter_take_up();
	if (exec_is_outcome)
		*control_outcome() = (struct outcome){ .kind = OUTCOME_NONE };
	exec_is_outcome = false;
	return rc;
}

EXPORT int execve(const char *path, char *const *argv, char *const *env)
{
	exec_begins(path, CALLER);
	return exec_failed(real.execve(path, argv, env));
}

EXPORT int execv(const char *path, char *const *argv)
{
	exec_begins(path, CALLER);
	return exec_failed(real.execv(path, argv));
}

EXPORT int execvp(const char *file, char *const *argv)
{
	exec_begins(file, CALLER);
	return exec_failed(real.execvp(file, argv));
}

EXPORT int execvpe(const char *file, char *const *argv, char *const *env)
{
	exec_begins(file, CALLER);
	return exec_failed(real.execvpe(file, argv, env));
}

EXPORT int execveat(int fd, const char *path, char *const *argv,
		    char *const *env, int flags)
{
	exec_begins(path, CALLER);
	return exec_failed(real.execveat(fd, path, argv, env, flags));
}

EXPORT int fexecve(int fd, char *const *argv, char *const *env)
{
	exec_begins(NULL, CALLER);
	return exec_failed(real.fexecve(fd, argv, env));
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

#define LIST_ARGV(path, first)                                                 \
	va_list rest;                                                          \
	size_t n;                                                              \
	const char **argv;                                                     \
                                                                               \
	exec_begins(path, CALLER);                                             \
	va_start(rest, first);                                                 \
	n = list_count(first, &rest);                                          \
	va_end(rest);                                                          \
	argv = __builtin_alloca((n + 1) * sizeof(*argv));                      \
	va_start(rest, first);                                                 \
	list_copy(argv, n, first, &rest)

EXPORT int execl(const char *path, const char *first, ...)
{
	LIST_ARGV(path, first);
	va_end(rest);
	return exec_failed(real.execv(path, (char *const *)argv));
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	LIST_ARGV(file, first);
	va_end(rest);
	return exec_failed(real.execvp(file, (char *const *)argv));
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *env;

	LIST_ARGV(path, first);
	env = va_arg(rest, char *const *);
	va_end(rest);
	return exec_failed(real.execve(path, (char *const *)argv, env));
}

/* ---- the end ---- */

/* Only the observed process closes the record: a lodger ends by _exit too. */
static void process_ends(void)
{
	int kept = errno;

	if (process_is_observed()) {
		ending_come();
		life_close();
	}
	errno = kept;
}

EXPORT void _exit(int status)
{
	if (controlled)
		ending_tell_exit(status, CALLER);
	process_ends();
	real._exit(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	if (controlled)
		ending_tell_exit(status, CALLER);
	process_ends();
	real._Exit(status);
	__builtin_unreachable();
}

/* exit and the return of main: after the program's own handlers and the
 * destructors of all that depends on us, threads still running. */
__attribute__((destructor(101))) void process_end(void)
{
	process_ends();
}

void process_prepare(void)
{
	if (resident_pid)
		return;
	resident_pid = guest_map(sizeof(*resident_pid));
	/* Registered first, so the last of these to run. */
	pthread_atfork(NULL, NULL, child_begins);
	at_quick_exit(process_ends);
}

void process_resides(void)
{
	process_prepare();
	if (!resident_pid)
		return;
	/* Who is observed has just said so there. */
	*resident_pid = (long)atomic_load(&region->guest_pid);
	resident = resident_pid;
}

__attribute__((constructor(102))) static void process_begin(void)
{
	if (gate)
		process_resides();
}
