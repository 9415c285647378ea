/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signals.h"

#include "runtime/control.h"
#include "runtime/ending.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/settle.h"
#include "runtime/sys.h"

/*
 * Setting and asking for actions. Table and kernel are changed together, under
 * a lock and with signals blocked. The lock holds the process id of its owner:
 * in a child that was forked meanwhile it belongs to nobody.
 *
 * A child of vfork has actions of its own but shares our table, which is its
 * parent's; so it leaves the table alone, and its handlers run without us.
 */

static _Atomic uint64_t handlers[SIGNALS + 1];
static _Atomic long lock;

/* A trampoline may be in place, by this process or one it was forked from. */
static bool active;

static void table_lock(uint64_t *mask)
{
	long me = SYS_0(SYS_getpid);
	long holder = 0;

	signals_block(mask);
	while (!atomic_compare_exchange_weak(&lock, &holder, me)) {
		if (holder == me) {
			__builtin_ia32_pause();
			holder = 0;
		}
	}
}

static void table_unlock(const uint64_t *mask)
{
	atomic_store(&lock, 0);
	signals_restore(mask);
}

static bool is_ours(int signal)
{
	if (gate || control)
		active = true;
	return active && signal > 0 && signal <= SIGNALS;
}

static bool is_function(sighandler_t handler)
{
	return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR &&
	       handler != SIG_HOLD;
}

static bool is_trampoline(sighandler_t handler)
{
	return (uintptr_t)handler == (uintptr_t)signal_trampoline;
}

static uint64_t entry_of(const struct sigaction *act)
{
	uint64_t entry = (uintptr_t)act->sa_handler;

	if (act->sa_flags & SA_SIGINFO)
		entry |= ENTRY_SIGINFO;
	if (act->sa_flags & (int)SA_RESETHAND)
		entry |= ENTRY_RESETHAND;
	return entry;
}

static sighandler_t handler_shown(int signal)
{
	return (sighandler_t)(uintptr_t)(atomic_load(&handlers[signal]) &
					 ENTRY_HANDLER);
}

/* The program's action as the kernel is to have it. */
static void action_hide(struct sigaction *act)
{
	act->sa_sigaction = signal_trampoline;
	act->sa_flags |= SA_SIGINFO;
	act->sa_flags &= ~(int)SA_RESETHAND;
}

/* Under control faults are told before they have their effect. */
static void default_hide(int signal, struct sigaction *act)
{
	if (control && act->sa_handler == SIG_DFL && ending_is_fault(signal) &&
	    !process_is_lodger())
		ending_action(act);
}

/* The kernel's action as the program gave it. */
static void action_show(struct sigaction *act, uint64_t entry)
{
	if ((uintptr_t)act->sa_handler == (uintptr_t)ending_fault)
		*act = (struct sigaction){ .sa_handler = SIG_DFL };
	if (!is_trampoline(act->sa_handler))
		return;
	act->sa_handler = (sighandler_t)(uintptr_t)(entry & ENTRY_HANDLER);
	act->sa_flags &= ~SA_SIGINFO;
	if (entry & ENTRY_SIGINFO)
		act->sa_flags |= SA_SIGINFO;
	if (entry & ENTRY_RESETHAND)
		act->sa_flags |= (int)SA_RESETHAND;
}

static int action_swap(int signal, const struct sigaction *act,
		       struct sigaction *old)
{
	uint64_t was = atomic_load(&handlers[signal]);
	struct sigaction mine, theirs;
	int rc;

	if (act) {
		mine = *act;
		/* Some function of libc told the program of the trampoline. */
		if (is_trampoline(mine.sa_handler))
			action_show(&mine, was);
		if (is_function(mine.sa_handler) && !process_is_lodger()) {
			atomic_store(&handlers[signal], entry_of(&mine));
			action_hide(&mine);
		}
		default_hide(signal, &mine);
	}
	rc = real.sigaction(signal, act ? &mine : NULL, &theirs);
	if (rc != 0) {
		if (!process_is_lodger())
			atomic_store(&handlers[signal], was);
		return rc;
	}
	action_show(&theirs, was);
	if (old)
		*old = theirs;
	return rc;
}

static int action_change(int signal, const struct sigaction *act,
			 struct sigaction *old)
{
	uint64_t mask;
	int rc;

	if (!is_ours(signal))
		return real.sigaction(signal, act, old);
	table_lock(&mask);
	rc = action_swap(signal, act, old);
	table_unlock(&mask);
	return rc;
}

EXPORT int sigaction(int signal, const struct sigaction *act,
		     struct sigaction *old)
{
	return action_change(signal, act, old);
}

/* ---- the older functions ---- */

/*
 * They are done by sigaction, with the flags and masks of glibc: the trampoline
 * needs SA_SIGINFO (else the kernel does not fill in the information), which
 * libc would not set, and there must be no moment without it.
 */

/* Signals that siginterrupt was called for. */
static _Atomic uint64_t interrupting;

EXPORT int siginterrupt(int number, int interrupts)
{
	int rc = real.siginterrupt(number, interrupts);

	if (rc == 0 && interrupts)
		atomic_fetch_or(&interrupting, signal_bit(number));
	else if (rc == 0)
		atomic_fetch_and(&interrupting, ~signal_bit(number));
	return rc;
}

static sighandler_t handler_set(int number, sighandler_t handler, int flags,
				bool blocks_itself)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction old;

	sigemptyset(&act.sa_mask);
	if (blocks_itself)
		sigaddset(&act.sa_mask, number);
	return action_change(number, &act, &old) == 0 ? old.sa_handler :
							SIG_ERR;
}

static sighandler_t handler_again(int number, sighandler_t handler)
{
	bool stops;

	if (!is_ours(number) || handler == SIG_ERR)
		return real.signal(number, handler);
	stops = atomic_load(&interrupting) & signal_bit(number);
	return handler_set(number, handler, stops ? 0 : SA_RESTART, true);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	return handler_again(number, handler);
}

EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
	return handler_again(number, handler);
}

static sighandler_t handler_once(int number, sighandler_t handler)
{
	if (!is_ours(number) || handler == SIG_ERR)
		return real.__sysv_signal(number, handler);
	return handler_set(number, handler,
			   (int)SA_RESETHAND | SA_NODEFER | SA_INTERRUPT,
			   false);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	return handler_once(number, handler);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	return handler_once(number, handler);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	sighandler_t old;
	sigset_t only, was;

	if (!is_ours(number) || handler == SIG_ERR || handler == SIG_HOLD) {
		old = real.sigset(number, handler);
		return is_trampoline(old) ? handler_shown(number) : old;
	}
	old = handler_set(number, handler, 0, false);
	if (old == SIG_ERR)
		return old;
	sigemptyset(&only);
	sigaddset(&only, number);
	pthread_sigmask(SIG_UNBLOCK, &only, &was);
	return sigismember(&was, number) ? SIG_HOLD : old;
}

/* ---- for the trampoline ---- */

uint64_t signal_take(int number)
{
	uint64_t entry = atomic_load(&handlers[number]);
	struct sigaction act;
	uint64_t mask;

	if (!(entry & ENTRY_RESETHAND))
		return entry;
	table_lock(&mask);
	if (real.sigaction(number, NULL, &act) == 0 &&
	    is_trampoline(act.sa_handler)) {
		action_show(&act, entry);
		act.sa_handler = SIG_DFL;
		default_hide(number, &act);
		real.sigaction(number, &act, NULL);
	}
	table_unlock(&mask);
	return entry;
}
