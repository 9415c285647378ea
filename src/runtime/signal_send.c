/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/real.h"
#include "runtime/roster.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <unistd.h>

/*
 * Signals that the program sends. Those to other processes, to groups of them
 * and to threads that nobody knows are libc's business, and so is everything
 * without control. What comes back to us from the kernel that way is a signal
 * from outside.
 */

static struct thread *sender(int signal)
{
	if (!controlled || signal <= 0 || signal > SIGNALS)
		return NULL;
	return guest_self();
}

static bool is_me(pid_t pid)
{
	return pid > 0 && (pid == (pid_t)SYS_0(SYS_getpid) || pid == getpid());
}

static siginfo_t info_of(int signal, int code)
{
	siginfo_t info = { .si_signo = signal, .si_code = code };

	info.si_pid = getpid();
	info.si_uid = (uid_t)SYS_0(SYS_getuid);
	return info;
}

/* `number`: the thread, or NO_THREAD for the process. A signal that comes to
 * the sender itself is handled before this returns. */
static void send_off(struct thread *t, uint32_t number, const siginfo_t *info,
		     uintptr_t pc)
{
	guest_enter(t);
	if (turn_live > 1 || signal_expected)
		turn_point(t, EVENT_SIGNAL_BEGIN, NULL, pc);
	if (number == NO_THREAD)
		signal_send(info, pc);
	else
		signal_send_to(number, info, pc);
	guest_leave(t);
	signal_deliver_own(t);
}

/* ---- to the process ---- */

EXPORT int kill(pid_t pid, int signal)
{
	struct thread *t = is_me(pid) ? sender(signal) : NULL;
	siginfo_t info;

	if (!t)
		return real.kill(chance_pid_real(pid), signal);
	info = info_of(signal, SI_USER);
	send_off(t, NO_THREAD, &info, CALLER);
	return 0;
}

EXPORT int sigqueue(pid_t pid, int signal, const union sigval value)
{
	struct thread *t = is_me(pid) ? sender(signal) : NULL;
	siginfo_t info;

	if (!t)
		return real.sigqueue(chance_pid_real(pid), signal, value);
	info = info_of(signal, SI_QUEUE);
	info.si_value = value;
	send_off(t, NO_THREAD, &info, CALLER);
	return 0;
}

/* ---- to a thread ---- */

static bool is_there(uint32_t number)
{
	return number != NO_THREAD &&
	       control->threads[number].state != THREAD_OVER;
}

/* NO_THREAD: libc knows better. */
static uint32_t number_of(struct thread *t, pthread_t id)
{
	uint32_t number;

	guest_enter(t);
	number = roster_find(id);
	guest_leave(t);
	return is_there(number) ? number : NO_THREAD;
}

static uint32_t number_of_tid(pid_t tid)
{
	tid = chance_pid_real(tid);
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (region->threads[n].kernel_tid == (uint32_t)tid &&
		    is_there(n))
			return n;
	return NO_THREAD;
}

static bool sent_to(struct thread *t, uint32_t number, int signal, uintptr_t pc)
{
	siginfo_t info = info_of(signal, SI_TKILL);

	if (number == NO_THREAD)
		return false;
	send_off(t, number, &info, pc);
	return true;
}

EXPORT int pthread_kill(pthread_t id, int signal)
{
	struct thread *t = sender(signal);

	if (t && sent_to(t, number_of(t, id), signal, CALLER))
		return 0;
	return real.pthread_kill(id, signal);
}

EXPORT int tgkill(pid_t pid, pid_t tid, int signal)
{
	struct thread *t = is_me(pid) ? sender(signal) : NULL;

	if (t && sent_to(t, number_of_tid(tid), signal, CALLER))
		return 0;
	return real.tgkill(chance_pid_real(pid), chance_pid_real(tid), signal);
}

EXPORT int pthread_sigqueue(pthread_t id, int signal, const union sigval value)
{
	struct thread *t = sender(signal);
	uint32_t number = t ? number_of(t, id) : NO_THREAD;
	siginfo_t info;

	if (number == NO_THREAD)
		return real.pthread_sigqueue(id, signal, value);
	info = info_of(signal, SI_QUEUE);
	info.si_value = value;
	send_off(t, number, &info, CALLER);
	return 0;
}

EXPORT int raise(int signal)
{
	struct thread *t = sender(signal);

	if (t && sent_to(t, t->number, signal, CALLER))
		return 0;
	return real.raise(signal);
}

EXPORT int gsignal(int signal)
{
	struct thread *t = sender(signal);

	if (t && sent_to(t, t->number, signal, CALLER))
		return 0;
	return real.raise(signal);
}
