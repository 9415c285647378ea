/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/timing.h"
#include "runtime/turn.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * Timers that send signals, on virtual time: alarm, setitimer, timer_create.
 * They go off in decisions (timing.h), and what they send is a signal of the
 * program to itself. Processor time is virtual time too.
 *
 * Timers that start a thread are libc's: it makes them of real ones.
 */

enum {
	MICRO = 1000,
	SECOND = 1000 * 1000 * 1000,
	TIMERS = 256, /* of timer_create, at a time */
};

struct virtual_timer {
	struct timing_alarm alarm; /* first */
	uint64_t interval;
	clockid_t clock;
	int notify; /* SIGEV_NONE, SIGEV_SIGNAL, SIGEV_THREAD_ID */
	uint32_t thread;
	int overrun;
	bool is_used;
	siginfo_t info;
};

static void timer_rings(struct timing_alarm *alarm);

static struct thread *owner(void)
{
	return controlled ? guest_self() : NULL;
}

/* ---- one timer ---- */

static uint64_t time_left(const struct virtual_timer *timer)
{
	uint64_t now = control->run.now, at = timer->alarm.at;

	if (!at)
		return 0;
	return at > now ? at - now : 1;
}

static void timer_start(struct virtual_timer *timer, uint64_t at,
			uint64_t interval)
{
	timer->alarm.ring = timer_rings;
	timer->interval = interval;
	timer->overrun = 0;
	signal_expected = true;
	timing_alarm_set(&timer->alarm, at);
}

static void timer_stop(struct virtual_timer *timer)
{
	timing_alarm_cancel(&timer->alarm);
	timer->interval = 0;
}

static bool timer_is_late(const struct virtual_timer *timer)
{
	return timer->notify == SIGEV_SIGNAL &&
	       signal_is_due(timer->info.si_signo);
}

static void timer_rings(struct timing_alarm *alarm)
{
	struct virtual_timer *timer = (struct virtual_timer *)alarm;
	uintptr_t pc = control->threads[control->run.holder].pc;

	if (timer->interval)
		timing_alarm_set(alarm, control->run.now + timer->interval);
	if (timer_is_late(timer)) {
		timer->overrun++;
		return;
	}
	timer->info.si_overrun = timer->overrun;
	timer->overrun = 0;
	if (timer->notify == SIGEV_SIGNAL)
		signal_send(&timer->info, pc);
	else if (timer->notify == SIGEV_THREAD_ID)
		signal_send_to(timer->thread, &timer->info, pc);
}

/* ---- alarm and setitimer ---- */

static struct virtual_timer itimers[] = {
	[ITIMER_REAL] = { .notify = SIGEV_SIGNAL,
			  .info = { .si_signo = SIGALRM,
				    .si_code = SI_KERNEL } },
	[ITIMER_VIRTUAL] = { .notify = SIGEV_SIGNAL,
			     .info = { .si_signo = SIGVTALRM,
				       .si_code = SI_KERNEL } },
	[ITIMER_PROF] = { .notify = SIGEV_SIGNAL,
			  .info = { .si_signo = SIGPROF,
				    .si_code = SI_KERNEL } },
};

/* Nanoseconds; returns what was left, in nanoseconds. */
static uint64_t itimer_set(struct virtual_timer *timer, uint64_t value,
			   uint64_t interval)
{
	uint64_t left = time_left(timer);

	if (value)
		timer_start(timer, timing_deadline_after(value), interval);
	else
		timer_stop(timer);
	return left;
}

EXPORT unsigned int alarm(unsigned int seconds)
{
	struct thread *t = owner();
	uint64_t left;

	if (!t)
		return real.alarm(seconds);
	left = itimer_set(&itimers[ITIMER_REAL], (uint64_t)seconds * SECOND, 0);
	return (unsigned int)((left + SECOND - 1) / SECOND);
}

EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
	struct thread *t = owner();

	if (!t)
		return real.ualarm(value, interval);
	return (useconds_t)(itimer_set(&itimers[ITIMER_REAL],
				       (uint64_t)value * MICRO,
				       (uint64_t)interval * MICRO) /
			    MICRO);
}

static uint64_t of_timeval(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * MICRO;
}

static struct timeval to_timeval(uint64_t ns)
{
	return (struct timeval){ .tv_sec = (time_t)(ns / SECOND),
				 .tv_usec =
					 (suseconds_t)(ns % SECOND / MICRO) };
}

static bool is_a_time(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < SECOND / MICRO;
}

static bool is_itimer(__itimer_which_t which)
{
	return (int)which >= ITIMER_REAL && (int)which <= ITIMER_PROF;
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *now)
{
	struct thread *t = owner();

	if (!t || !is_itimer(which))
		return real.getitimer(which, now);
	now->it_value = to_timeval(time_left(&itimers[which]));
	now->it_interval = to_timeval(itimers[which].interval);
	return 0;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *set,
		     struct itimerval *old)
{
	struct thread *t = owner();
	struct itimerval was;

	if (!t || !is_itimer(which) || !set || !is_a_time(&set->it_value) ||
	    !is_a_time(&set->it_interval))
		return real.setitimer(which, set, old);
	getitimer(which, &was);
	itimer_set(&itimers[which], of_timeval(&set->it_value),
		   of_timeval(&set->it_interval));
	if (old)
		*old = was;
	return 0;
}

/* ---- timer_create and its like ---- */

static struct virtual_timer timers[TIMERS];

/* NULL: one of libc's. */
static struct virtual_timer *timer_of(timer_t id)
{
	struct virtual_timer *timer = id;

	if (!owner() || timer < timers || timer >= timers + TIMERS ||
	    !timer->is_used)
		return NULL;
	return timer;
}

static struct virtual_timer *timer_new(void)
{
	for (int i = 0; i < TIMERS; i++)
		if (!timers[i].is_used)
			return &timers[i];
	return NULL;
}

static uint32_t thread_of(pid_t tid)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (region->threads[n].kernel_tid ==
		    (uint32_t)chance_pid_real(tid))
			return n;
	return NO_THREAD;
}

static bool can_make(clockid_t clock, const struct sigevent *event)
{
	if (!timing_knows(clock))
		return false;
	if (!event || event->sigev_notify == SIGEV_NONE)
		return true;
	if (event->sigev_notify == SIGEV_THREAD) {
		guest_note("a timer starts threads by itself; when it does is "
			   "not controlled");
		return false;
	}
	return event->sigev_signo > 0 && event->sigev_signo <= SIGNALS;
}

static void timer_init(struct virtual_timer *timer, clockid_t clock,
		       const struct sigevent *event)
{
	*timer = (struct virtual_timer){
		.clock = clock,
		.notify = event->sigev_notify,
		.is_used = true,
		.info = { .si_signo = event->sigev_signo, .si_code = SI_TIMER },
	};
	timer->info.si_timerid = (int)(timer - timers);
	timer->info.si_value = event->sigev_value;
	if (timer->notify != SIGEV_THREAD_ID)
		return;
	timer->thread = thread_of(event->_sigev_un._tid);
	if (timer->thread == NO_THREAD)
		timer->notify = SIGEV_NONE;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
	struct sigevent usual = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGALRM };
	struct thread *t = owner();
	struct virtual_timer *timer;

	if (!t || !can_make(clock, event) || !(timer = timer_new()))
		return real.timer_create(clock, event, id);
	usual.sigev_value.sival_ptr = timer;
	timer_init(timer, clock, event ? event : &usual);
	*id = timer;
	return 0;
}

static uint64_t of_timespec(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
				  .tv_nsec = (long)(ns % SECOND) };
}

EXPORT int timer_gettime(timer_t id, struct itimerspec *now)
{
	struct virtual_timer *timer = timer_of(id);

	if (!timer)
		return real.timer_gettime(id, now);
	now->it_value = to_timespec(time_left(timer));
	now->it_interval = to_timespec(timer->interval);
	return 0;
}

static bool is_timespec(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *set,
			 struct itimerspec *old)
{
	struct virtual_timer *timer = timer_of(id);

	if (!timer)
		return real.timer_settime(id, flags, set, old);
	if (!is_timespec(&set->it_value) || !is_timespec(&set->it_interval)) {
		errno = EINVAL;
		return -1;
	}
	if (old)
		timer_gettime(id, old);
	if (!of_timespec(&set->it_value))
		timer_stop(timer);
	else
		timer_start(timer,
			    flags & TIMER_ABSTIME ?
				    timing_deadline(timer->clock,
						    &set->it_value) :
				    timing_deadline_in(&set->it_value),
			    of_timespec(&set->it_interval));
	return 0;
}

EXPORT int timer_getoverrun(timer_t id)
{
	struct virtual_timer *timer = timer_of(id);

	return timer ? timer->info.si_overrun : real.timer_getoverrun(id);
}

EXPORT int timer_delete(timer_t id)
{
	struct virtual_timer *timer = timer_of(id);

	if (!timer)
		return real.timer_delete(id);
	timer_stop(timer);
	timer->is_used = false;
	return 0;
}
