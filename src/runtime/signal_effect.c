/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signal_effect.h"

#include "runtime/ending.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static enum effect effect_by_default(int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
	case SIGCONT:
		return EFFECT_NONE;
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return EFFECT_KERNEL;
	default:
		return EFFECT_END;
	}
}

enum effect effect_of(int signal, struct sigaction *act)
{
	if (signal == SIGKILL || signal == SIGSTOP ||
	    real.sigaction(signal, NULL, act) != 0)
		return EFFECT_KERNEL;
	if ((uintptr_t)act->sa_handler == (uintptr_t)ending_fault)
		return EFFECT_END;
	if (act->sa_handler == SIG_IGN)
		return EFFECT_NONE;
	return act->sa_handler == SIG_DFL ? effect_by_default(signal) :
					    EFFECT_HANDLER;
}

void effect_raise_for_all(const siginfo_t *info)
{
	long pid = SYS_0(SYS_getpid);

	if (SYS_3(SYS_rt_sigqueueinfo, pid, info->si_signo, info) == -EPERM)
		SYS_2(SYS_kill, pid, info->si_signo);
}

void effect_raise_for(long tid, const siginfo_t *info)
{
	long pid = SYS_0(SYS_getpid);

	/* Only the kernel may say that another's signal came by tgkill. */
	if (SYS_4(SYS_rt_tgsigqueueinfo, pid, tid, info->si_signo, info) ==
	    -EPERM)
		SYS_3(SYS_tgkill, pid, tid, info->si_signo);
}

bool effect_take(uint64_t set, siginfo_t *info)
{
	const struct timespec none = { 0 };

	if (!set ||
	    SYS_4(SYS_rt_sigtimedwait, &set, info, &none, sizeof(set)) <= 0)
		return false;
	/* The program knows itself by another number. */
	if (info->si_code <= 0 && info->si_pid == (pid_t)SYS_0(SYS_getpid))
		info->si_pid = getpid();
	return true;
}
