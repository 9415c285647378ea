/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/sleepers.h"

#include "runtime/blocking.h"
#include "runtime/spin.h"
#include "runtime/strategy.h"
#include "runtime/timing.h"
#include "runtime/world.h"

enum {
	/* One decision in so many fires a sleeper while others could run. */
	EARLY = 128,
	/* Seconds from now on. A time beyond is meant as never, and comes
	 * only when nobody can go on without it. */
	FAR = 3600,
	/* An alarm may ring for ever and wake nobody. */
	IN_VAIN = 1000,
};

uint64_t sleepers_next = UINT64_MAX;

static struct rng chance;

/* In a world that is played: where time is ahead once, from where requests
 * begin; UINT64_MAX: nowhere. */
static uint64_t ahead_at;

void sleepers_begin(void)
{
	enum { FOR_TIME = 2 };

	chance = rng_fork(control->run.seed, FOR_TIME);
	ahead_at = UINT64_MAX;
	if (world_is_played() && control->ask.length &&
	    control->run.seed % 2 == 0)
		ahead_at = 1 + rng_below64(&chance, control->ask.length);
}

uint32_t sleepers_first(void)
{
	const struct control_thread *threads = control->threads;
	uint32_t first = NO_THREAD;

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (threads[n].state == THREAD_ASLEEP &&
		    (first == NO_THREAD ||
		     threads[n].deadline < threads[first].deadline))
			first = n;
	return first;
}

void sleepers_due(void)
{
	if (control->run.now < sleepers_next)
		return;
	sleepers_next = UINT64_MAX;
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		const struct control_thread *c = &control->threads[n];

		if (c->state != THREAD_ASLEEP)
			continue;
		if (c->deadline <= control->run.now)
			turn_fire(n);
		else if (c->deadline < sleepers_next)
			sleepers_next = c->deadline;
	}
}

static bool is_far(uint32_t n)
{
	const uint64_t far = FAR * UINT64_C(1000000000);

	return n != NO_THREAD &&
	       control->threads[n].deadline > control->run.now + far;
}

static bool is_early(void)
{
	const struct control_run *run = &control->run;

	if (!world_is_played())
		return rng_below(&chance, EARLY) == 0;
	if (run->points < run->origin || run->points - run->origin < ahead_at)
		return false;
	ahead_at = UINT64_MAX;
	return true;
}

uint32_t sleepers_early(enum step_what what)
{
	uint32_t n;

	if (is_following() || is_ordered())
		return NO_THREAD;
	if (is_early()) {
		n = sleepers_first();
		return is_far(n) ? NO_THREAD : n;
	}
	/* Nothing happens before some time has passed. */
	return what == STEP_YIELD && spin_is_all() ? sleepers_first() :
						     NO_THREAD;
}

/* ---- alarms ---- */

static bool alarm_is_early(uint32_t me)
{
	if (is_ordered())
		return false;
	if (is_following())
		return follow_finds(me, STEP_ALARM);
	return rng_below(&chance, EARLY) == 0;
}

/* When nobody can go on, does an alarm ring before any sleeper wakes? */
static bool alarm_is_awaited(void)
{
	uint32_t n;

	if (!timing_alarm_at || turn_eligible_count || blocking_is_outside())
		return false;
	n = sleepers_first();
	return n == NO_THREAD ||
	       timing_alarm_at <= control->threads[n].deadline;
}

void sleepers_alarms(uint32_t me)
{
	while (timing_alarm_at && timing_alarm_at <= control->run.now)
		timing_alarm_ring();
	for (int i = 0; alarm_is_awaited() && i < IN_VAIN; i++)
		timing_alarm_ring();
	if (timing_alarm_at && turn_eligible_count && alarm_is_early(me)) {
		turn_step(me, STEP_ALARM, 0);
		timing_alarm_ring();
	}
}
