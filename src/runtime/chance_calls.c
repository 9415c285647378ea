/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/*
 * System calls that programs make through syscall(), because libc was late to
 * have a function for them, go the way of the function under control. All
 * others are made as they are; sync_futex.c asks the table which is which.
 */

#define OR(n) UINT64_C(1) << (n) % 64

__attribute__((visibility("hidden"))) const uint64_t chance_calls[8] = {
	[0] = OR(SYS_sched_yield) | OR(SYS_nanosleep) | OR(SYS_getpid) |
	      OR(SYS_kill) | OR(SYS_fork) | OR(SYS_clone),
	[SYS_gettimeofday / 64] = OR(SYS_gettimeofday) | OR(SYS_getppid),
	[SYS_gettid / 64] = OR(SYS_gettid),
	[SYS_time / 64] = OR(SYS_time) | OR(SYS_clock_gettime) |
			  OR(SYS_clock_nanosleep) | OR(SYS_tgkill),
	[SYS_getrandom / 64] = OR(SYS_getrandom) | OR(SYS_getcpu),
	[SYS_clone3 / 64] = OR(SYS_clone3),
};

static long with_errno(int error)
{
	if (error)
		errno = error;
	return error ? -1 : 0;
}

__attribute__((visibility("hidden"), used)) long chance_call(long number,
							     long a, long b,
							     long c, long d,
							     long e, long f)
{
	const long arguments[] = { a, b, c, d, e, f };

	switch (number) {
	case SYS_sched_yield:
		return sched_yield();
	case SYS_nanosleep:
		return nanosleep((void *)a, (void *)b);
	case SYS_clock_nanosleep:
		return with_errno(clock_nanosleep((clockid_t)a, (int)b,
						  (void *)c, (void *)d));
	case SYS_clock_gettime:
		return clock_gettime((clockid_t)a, (void *)b);
	case SYS_gettimeofday:
		return gettimeofday((void *)a, (void *)b);
	case SYS_time:
		return time((void *)a);
	case SYS_getpid:
		return getpid();
	case SYS_getppid:
		return getppid();
	case SYS_gettid:
		return gettid();
	case SYS_kill:
		return kill((pid_t)a, (int)b);
	case SYS_tgkill:
		return tgkill((pid_t)a, (pid_t)b, (int)c);
	case SYS_getrandom:
		return getrandom((void *)a, (size_t)b, (unsigned int)c);
	case SYS_getcpu:
		return getcpu((void *)a, (void *)b);
	case SYS_fork:
	case SYS_clone: /* without CLONE_VM, sees to that who calls this */
	case SYS_clone3:
		return process_fork_raw(number, arguments, CALLER);
	default:
		return real.syscall(number, a, b, c, d, e, f);
	}
}
