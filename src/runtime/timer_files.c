/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/descriptor.h"
#include "format/put.h"
#include "runtime/real.h"
#include "runtime/spin.h"
#include "runtime/sys.h"
#include "runtime/timer_files.h"
#include "runtime/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

/*
 * A timer that is a descriptor is an event counter under control: both are read
 * as eight bytes that say how often, wait while that is never, and can be
 * polled. When the timer goes off, on virtual time, one is added.
 */

enum {
	SECOND = 1000 * 1000 * 1000,
	TIMERS = 64, /* at a time */
};

struct timer_file {
	struct timing_alarm alarm; /* first */
	uint64_t interval;
	clockid_t clock;
	int fd; /* + 1; 0: unused */
};

static struct timer_file timers[TIMERS];

static struct timer_file *timer_at(int fd)
{
	for (int i = 0; fd >= 0 && i < TIMERS; i++)
		if (timers[i].fd == fd + 1)
			return &timers[i];
	return NULL;
}

static struct timer_file *timer_new(void)
{
	for (int i = 0; i < TIMERS; i++)
		if (!timers[i].fd)
			return &timers[i];
	return NULL;
}

static void timer_forget(struct timer_file *timer)
{
	timing_alarm_cancel(&timer->alarm);
	timer->fd = 0;
}

void timer_file_closed(int fd)
{
	struct timer_file *timer = controlled ? timer_at(fd) : NULL;

	if (timer)
		timer_forget(timer);
}

/* It may have been closed where we do not see it, and the number be another's
 * by now, who must not be written to. */
static bool is_counter(int fd)
{
	static const char want[] = "anon_inode:[eventfd]";
	char path[40], link[sizeof(want)];

	put_number(put_text(path, "/proc/self/fd/"), (uint32_t)fd);
	if (SYS_3(SYS_readlink, path, link, sizeof(link)) != sizeof(want) - 1)
		return false;
	for (size_t i = 0; i < sizeof(want) - 1; i++)
		if (link[i] != want[i])
			return false;
	return true;
}

static void timer_rings(struct timing_alarm *alarm)
{
	struct timer_file *timer = (struct timer_file *)alarm;
	const uint64_t once = 1;

	if (!is_counter(timer->fd - 1)) {
		timer_forget(timer);
		return;
	}
	if (timer->interval)
		timing_alarm_set(alarm, control->run.now + timer->interval);
	SYS_3(SYS_write, timer->fd - 1, &once, sizeof(once));
	spin_change();
	blocking_look_inside();
}

EXPORT int timerfd_create(clockid_t clock, int flags)
{
	struct timer_file *timer;
	int fd;

	if (!controlled || !timing_knows(clock) || !(timer = timer_new()))
		return real.timerfd_create(clock, flags);
	fd = real.eventfd(0, flags);
	if (fd < 0)
		return fd;
	descriptor_made(fd);
	timer_file_closed(fd);
	*timer = (struct timer_file){ .alarm.ring = timer_rings,
				      .clock = clock,
				      .fd = fd + 1 };
	return fd;
}

/* ---- setting ---- */

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
				  .tv_nsec = (long)(ns % SECOND) };
}

static bool is_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

static void timer_show(const struct timer_file *timer, struct itimerspec *now)
{
	uint64_t at = timer->alarm.at, left = at;

	if (at)
		left = at > control->run.now ? at - control->run.now : 1;
	now->it_value = timespec_of(left);
	now->it_interval = timespec_of(timer->interval);
}

/* What was counted before is forgotten. */
static void timer_set(struct timer_file *timer, int flags,
		      const struct itimerspec *set)
{
	struct pollfd ready = { .fd = timer->fd - 1, .events = POLLIN };
	uint64_t count;

	timing_alarm_cancel(&timer->alarm);
	timer->interval = nanoseconds(&set->it_interval);
	if (SYS_3(SYS_poll, &ready, 1, 0) > 0)
		SYS_3(SYS_read, ready.fd, &count, sizeof(count));
	if (nanoseconds(&set->it_value))
		timing_alarm_set(&timer->alarm,
				 flags & TFD_TIMER_ABSTIME ?
					 timing_deadline(timer->clock,
							 &set->it_value) :
					 timing_deadline_in(&set->it_value));
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *set,
			   struct itimerspec *old)
{
	struct timer_file *timer = controlled ? timer_at(fd) : NULL;

	if (!timer || !is_time(&set->it_value) || !is_time(&set->it_interval))
		return real.timerfd_settime(fd, flags, set, old);
	if (old)
		timer_show(timer, old);
	timer_set(timer, flags, set);
	return 0;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *now)
{
	struct timer_file *timer = controlled ? timer_at(fd) : NULL;

	if (!timer)
		return real.timerfd_gettime(fd, now);
	timer_show(timer, now);
	return 0;
}
