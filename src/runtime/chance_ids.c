/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/pidfd.h>
#include <unistd.h>

/*
 * Ids of the process and of its threads, and the functions that tell or take
 * them. Those that signal.c and its like wrap translate there.
 */

enum {
	PROCESS = 10 * 1000 * 1000, /* and thread 0; others follow */
	PARENT = PROCESS - 1,
};

/* The run, in itself and in what it forks. */
static long real_process, real_parent;

void chance_ids_begin(void)
{
	real_process = (long)atomic_load(&region->guest_pid);
	real_parent = SYS_0(SYS_getppid);
}

static bool is_ours(pid_t id)
{
	return id >= PROCESS && id < PROCESS + CONTROL_THREADS;
}

static pid_t one_real(pid_t id)
{
	uint32_t number = (uint32_t)(id - PROCESS);

	if (!real_process)
		return id;
	if (id == PROCESS)
		return (pid_t)real_process;
	if (id == PARENT)
		return (pid_t)real_parent;
	if (!is_ours(id) || number >= control->run.thread_count)
		return id;
	return (pid_t)region->threads[number].kernel_tid;
}

pid_t chance_pid_real(pid_t id)
{
	return id < 0 ? -one_real(-id) : one_real(id);
}

pid_t chance_pid_seen(pid_t id)
{
	return real_process && id == real_process ? PROCESS : id;
}

/* ---- who am I ---- */

EXPORT pid_t getpid(void)
{
	return chance_pid_seen((pid_t)SYS_0(SYS_getpid));
}

static bool is_run(void)
{
	return real_process && SYS_0(SYS_getpid) == real_process;
}

EXPORT pid_t getppid(void)
{
	return is_run() ? PARENT : chance_pid_seen((pid_t)SYS_0(SYS_getppid));
}

/* In a child that shares our memory (vfork) `self` is its parent's. */
EXPORT pid_t gettid(void)
{
	struct thread *t = self;

	return t && is_run() ? PROCESS + (pid_t)t->number :
			       (pid_t)SYS_0(SYS_gettid);
}

/* ---- groups and sessions ---- */

EXPORT pid_t getpgid(pid_t id)
{
	return chance_pid_seen(real.getpgid(chance_pid_real(id)));
}

EXPORT pid_t getpgrp(void)
{
	return chance_pid_seen(real.getpgrp());
}

EXPORT int setpgid(pid_t id, pid_t group)
{
	return real.setpgid(chance_pid_real(id), chance_pid_real(group));
}

EXPORT pid_t getsid(pid_t id)
{
	return chance_pid_seen(real.getsid(chance_pid_real(id)));
}

EXPORT pid_t setsid(void)
{
	return chance_pid_seen(real.setsid());
}

/* ---- those that only take one ---- */

EXPORT int getpriority(__priority_which_t which, id_t who)
{
	return real.getpriority((int)which, (id_t)chance_pid_real((pid_t)who));
}

EXPORT int setpriority(__priority_which_t which, id_t who, int priority)
{
	return real.setpriority((int)which, (id_t)chance_pid_real((pid_t)who),
				priority);
}

EXPORT int sched_getscheduler(pid_t id)
{
	return real.sched_getscheduler(chance_pid_real(id));
}

EXPORT int sched_setscheduler(pid_t id, int policy,
			      const struct sched_param *param)
{
	return real.sched_setscheduler(chance_pid_real(id), policy, param);
}

EXPORT int sched_getparam(pid_t id, struct sched_param *param)
{
	return real.sched_getparam(chance_pid_real(id), param);
}

EXPORT int sched_setparam(pid_t id, const struct sched_param *param)
{
	return real.sched_setparam(chance_pid_real(id), param);
}

EXPORT int prlimit(pid_t id, __rlimit_resource_t what,
		   const struct rlimit *limit, struct rlimit *old)
{
	return real.prlimit(chance_pid_real(id), (int)what, limit, old);
}

EXPORT int prlimit64(pid_t id, __rlimit_resource_t what,
		     const struct rlimit64 *limit, struct rlimit64 *old)
{
	return real.prlimit64(chance_pid_real(id), (int)what, limit, old);
}

EXPORT int pidfd_open(pid_t id, unsigned int flags)
{
	return real.pidfd_open(chance_pid_real(id), flags);
}
