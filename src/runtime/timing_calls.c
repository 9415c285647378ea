/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cancel.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/timing.h"
#include "runtime/turn.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

/*
 * The functions of libc that tell the time, and those that let it pass. Without
 * control they are libc's.
 *
 * Reading a clock is a point: who polls one waits for something, and the others
 * must get to run. Sleeping is a wait that only time ends, or a signal. The
 * processor time of threads and of the process is the virtual time too.
 */

enum {
	MICRO = 1000,
	SECOND = 1000 * 1000 * 1000,
};

/* ---- reading ---- */

/* The thread that reads a clock, NULL when it is to see the real one. */
static struct thread *reader(uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (!t)
		return NULL;
	guest_enter(t);
	if (turn_live > 1 || signal_expected)
		turn_point(t, EVENT_TIME, NULL, pc);
	timing_read();
	guest_leave(t);
	return t;
}

EXPORT int clock_gettime(clockid_t which, struct timespec *now)
{
	if (!controlled || !timing_knows(which) || !reader(CALLER))
		return real.clock_gettime(which, now);
	*now = timing_now(which);
	return 0;
}

EXPORT int gettimeofday(struct timeval *now, void *zone)
{
	struct timespec t;

	if (!controlled || !reader(CALLER))
		return real.gettimeofday(now, zone);
	t = timing_now(CLOCK_REALTIME);
	now->tv_sec = t.tv_sec;
	now->tv_usec = t.tv_nsec / MICRO;
	if (zone)
		*(struct timezone *)zone = (struct timezone){ 0 };
	return 0;
}

EXPORT time_t time(time_t *now)
{
	time_t t;

	if (!controlled || !reader(CALLER))
		return real.time(now);
	t = timing_now(CLOCK_REALTIME).tv_sec;
	if (now)
		*now = t;
	return t;
}

EXPORT int timespec_get(struct timespec *now, int base)
{
	if (!controlled || base != TIME_UTC || !reader(CALLER))
		return real.timespec_get(now, base);
	*now = timing_now(CLOCK_REALTIME);
	return base;
}

EXPORT clock_t clock(void)
{
	if (!controlled || !reader(CALLER))
		return real.clock();
	return (clock_t)(control->run.now / MICRO);
}

EXPORT clock_t times(struct tms *used)
{
	enum { TICK = SECOND / 100 };
	struct timespec t;

	if (!controlled || !reader(CALLER))
		return real.times(used);
	t = timing_now(CLOCK_MONOTONIC);
	if (used)
		*used = (struct tms){ .tms_utime = (clock_t)(control->run.now /
							     TICK) };
	return (clock_t)(((uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec) /
			 TICK);
}

/* Of all this only the time is the program's doing; what the kernel counted is
 * different in every run. */
EXPORT int getrusage(__rusage_who_t who, struct rusage *used)
{
	struct timespec t;

	if (!controlled || !reader(CALLER))
		return real.getrusage(who, used);
	t = timing_now(CLOCK_PROCESS_CPUTIME_ID);
	*used = (struct rusage){ 0 };
	if (who != RUSAGE_CHILDREN) {
		used->ru_utime.tv_sec = t.tv_sec;
		used->ru_utime.tv_usec = t.tv_nsec / MICRO;
		used->ru_maxrss = 16384;
	}
	return 0;
}

/* ---- sleeping ---- */

static bool is_a_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

static struct timespec remaining(uint64_t deadline)
{
	uint64_t now = control->run.now;
	uint64_t left = deadline > now ? deadline - now : 0;

	return (struct timespec){ .tv_sec = (time_t)(left / SECOND),
				  .tv_nsec = (long)(left % SECOND) };
}

static bool is_cancelled(uint32_t number, uint64_t object)
{
	(void)object;
	return cancel_is_pending(number);
}

/* True: the time is up. False: a signal came. Sleeping is a point at which a
 * thread may be cancelled, whether it has to wait or not. */
static bool sleep_until(struct thread *t, uint64_t deadline, uintptr_t pc)
{
	enum turn_end end;

	guest_enter(t);
	end = turn_await_signal(t, EVENT_TIME, NULL, pc, is_cancelled,
				deadline);
	guest_leave(t);
	cancel_act(t);
	return end == TURN_TIME;
}

static struct thread *sleeper(void)
{
	return controlled ? guest_self() : NULL;
}

/* An errno, or 0. */
static int sleep_for(struct thread *t, const struct timespec *duration,
		     struct timespec *rest, uintptr_t pc)
{
	uint64_t deadline;

	if (!is_a_time(duration))
		return EINVAL;
	deadline = timing_deadline_in(duration);
	if (sleep_until(t, deadline, pc))
		return 0;
	if (rest)
		*rest = remaining(deadline);
	return EINTR;
}

static int with_errno(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

EXPORT int nanosleep(const struct timespec *duration, struct timespec *rest)
{
	struct thread *t = sleeper();

	if (!t)
		return real.nanosleep(duration, rest);
	return with_errno(sleep_for(t, duration, rest, CALLER));
}

EXPORT int clock_nanosleep(clockid_t which, int flags,
			   const struct timespec *time, struct timespec *rest)
{
	struct thread *t = sleeper();

	/* libc knows best which clocks nobody can sleep by. */
	if (!t || !timing_knows(which) || which == CLOCK_THREAD_CPUTIME_ID ||
	    which == CLOCK_MONOTONIC_RAW || which == CLOCK_REALTIME_COARSE ||
	    which == CLOCK_MONOTONIC_COARSE)
		return real.clock_nanosleep(which, flags, time, rest);
	if (!(flags & TIMER_ABSTIME))
		return sleep_for(t, time, rest, CALLER);
	if (!is_a_time(time))
		return EINVAL;
	return sleep_until(t, timing_deadline(which, time), CALLER) ? 0 : EINTR;
}

EXPORT int usleep(useconds_t duration)
{
	struct timespec time = { .tv_sec = duration / (MICRO * MICRO),
				 .tv_nsec = (long)(duration % (MICRO * MICRO)) *
					    MICRO };
	struct thread *t = sleeper();

	if (!t)
		return real.usleep(duration);
	return with_errno(sleep_for(t, &time, NULL, CALLER));
}

EXPORT unsigned int sleep(unsigned int seconds)
{
	struct timespec time = { .tv_sec = seconds }, rest;
	struct thread *t = sleeper();

	if (!t)
		return real.sleep(seconds);
	if (!sleep_for(t, &time, &rest, CALLER))
		return 0;
	return (unsigned int)rest.tv_sec + (rest.tv_nsec >= SECOND / 2);
}

EXPORT int thrd_sleep(const struct timespec *duration, struct timespec *rest)
{
	struct thread *t = sleeper();

	if (!t)
		return real.thrd_sleep(duration, rest);
	switch (sleep_for(t, duration, rest, CALLER)) {
	case 0:
		return 0;
	case EINTR:
		return -1;
	default:
		return -2;
	}
}

/* ---- letting others go first ---- */

static bool yielded(uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (!t)
		return false;
	guest_enter(t);
	turn_yield(t, pc);
	guest_leave(t);
	return true;
}

EXPORT int sched_yield(void)
{
	return yielded(CALLER) ? 0 : real.sched_yield();
}

/* Programs that are compiled today call sched_yield by this name. */
EXPORT int yield_of_old(void) __asm__("pthread_yield");
EXPORT int yield_of_old(void)
{
	return yielded(CALLER) ? 0 : real.sched_yield();
}

EXPORT void thrd_yield(void)
{
	if (!yielded(CALLER))
		real.thrd_yield();
}
