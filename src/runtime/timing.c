/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing.h"

#include "runtime/spin.h"
#include "runtime/values.h"

enum {
	SECOND = 1000 * 1000 * 1000,

	/* A reading takes so many nanoseconds, and each one so many more than
	 * the one before: who measures a short time sees a short time, and who
	 * polls for ten seconds gets there after some 20,000 readings. */
	READING = 50,
	READING_MOST = 1000 * 1000,

	/* So many readings may see nothing change. From then on every second
	 * one doubles what a reading takes, up to a second: nobody can tell
	 * them from a long wait. */
	IDLE_READINGS = 16,
};

/* What the clocks show when the run begins, in seconds. */
static const int64_t WALL_START = 1767225600; /* 2026-01-01 00:00:00 UTC */
static const int64_t MONOTONIC_START = 1000;

/* Beyond any run, and far from where sums overflow. */
static const uint64_t NEVER = UINT64_MAX / 4;

static int64_t clock_start(clockid_t which)
{
	switch (which) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
		return WALL_START;
	case CLOCK_TAI:
		return WALL_START + 37;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return MONOTONIC_START;
	default:
		return 0;
	}
}

bool timing_knows(clockid_t which)
{
	enum { OF_A_DESCRIPTOR = 3, ANOTHER_ARCHITECTURE = 10 };

	/* Below 0: the processor time of some process or thread. */
	if (which < 0)
		return (which & 7) != OF_A_DESCRIPTOR;
	return which <= CLOCK_TAI && which != ANOTHER_ARCHITECTURE;
}

/* ---- deadlines ---- */

uint64_t timing_deadline(clockid_t which, const struct timespec *until)
{
	int64_t seconds;

	if (__builtin_sub_overflow(until->tv_sec, clock_start(which),
				   &seconds) ||
	    seconds < 0)
		return 1;
	if ((uint64_t)seconds >= NEVER / SECOND)
		return NEVER;
	return (uint64_t)seconds * SECOND + (uint64_t)until->tv_nsec + 1;
}

uint64_t timing_deadline_after(uint64_t nanoseconds)
{
	if (nanoseconds >= NEVER - control->run.now)
		return NEVER;
	return control->run.now + nanoseconds + 1;
}

uint64_t timing_deadline_in(const struct timespec *duration)
{
	if (duration->tv_sec < 0)
		return timing_deadline_after(0);
	if ((uint64_t)duration->tv_sec >= NEVER / SECOND)
		return NEVER;
	return timing_deadline_after((uint64_t)duration->tv_sec * SECOND +
				     (uint64_t)duration->tv_nsec);
}

/* ---- what clocks show ---- */

struct timespec timing_now(clockid_t which)
{
	uint64_t now = control->run.now;

	return (struct timespec){
		.tv_sec = clock_start(which) + (int64_t)(now / SECOND),
		.tv_nsec = (int64_t)(now % SECOND),
	};
}

static uint64_t reading_takes(uint64_t readings, uint64_t idle)
{
	uint64_t takes = readings * READING;
	uint64_t doublings = idle < IDLE_READINGS ? 0 :
						    (idle - IDLE_READINGS) / 2;

	if (takes > READING_MOST)
		takes = READING_MOST;
	if (doublings > 30 || takes << doublings > SECOND)
		return SECOND;
	return takes << doublings;
}

void timing_read(void)
{
	static uint64_t readings, idle, changes;

	values_unmodelled(EVENT_TIME);
	if (changes != spin_changes) {
		changes = spin_changes;
		idle = 0;
	}
	control->run.now += reading_takes(++readings, idle++);
}

/* ---- alarms ---- */

uint64_t timing_alarm_at;

/* By time; those of the same time in the order they were set. */
static struct timing_alarm *first_alarm;

static void alarm_remove(struct timing_alarm *alarm)
{
	struct timing_alarm **at = &first_alarm;

	while (*at && *at != alarm)
		at = &(*at)->next;
	if (*at)
		*at = alarm->next;
	alarm->at = 0;
}

static void alarms_changed(void)
{
	timing_alarm_at = first_alarm ? first_alarm->at : 0;
}

void timing_alarm_set(struct timing_alarm *alarm, uint64_t when)
{
	struct timing_alarm **at = &first_alarm;

	alarm_remove(alarm);
	while (*at && (*at)->at <= when)
		at = &(*at)->next;
	alarm->at = when ? when : 1;
	alarm->next = *at;
	*at = alarm;
	alarms_changed();
}

void timing_alarm_cancel(struct timing_alarm *alarm)
{
	alarm_remove(alarm);
	alarms_changed();
}

void timing_alarm_ring(void)
{
	struct timing_alarm *alarm = first_alarm;

	if (alarm->at > control->run.now)
		control->run.now = alarm->at;
	timing_alarm_cancel(alarm);
	alarm->ring(alarm);
}
