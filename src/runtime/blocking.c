/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/blocking.h"

#include "runtime/blocking_away.h"
#include "runtime/cancel.h"
#include "runtime/offspring.h"
#include "runtime/server.h"
#include "runtime/signal_control.h"
#include "runtime/strangers.h"
#include "runtime/strategy.h"
#include "runtime/sys.h"
#include "runtime/timing.h"
#include "runtime/world.h"

#include <time.h>

enum {
	TICK_MS = 1,	     /* between two looks at what cannot be polled */
	SIGNAL_TICK_MS = 10, /* between two looks for signals */
	FOLLOW_MS = 2000,    /* a plan waits so long for the world */
	FDS_MOST = 64,	     /* polled in one call */
};

static const struct wish *wishes[CONTROL_THREADS];

/* The threads that wait for the world: by a wish, or really away. */
static uint32_t list[CONTROL_THREADS];
static uint32_t places[CONTROL_THREADS];
static bool listed[CONTROL_THREADS];
uint32_t blocking_count;
bool blocking_changed;

static struct control_thread *of(uint32_t number)
{
	return &control->threads[number];
}

void blocking_add(uint32_t n)
{
	listed[n] = true;
	places[n] = blocking_count;
	list[blocking_count++] = n;
}

void blocking_remove(uint32_t n)
{
	uint32_t last;

	if (!listed[n])
		return;
	last = list[--blocking_count];
	list[places[n]] = last;
	places[last] = places[n];
	listed[n] = false;
	wishes[n] = NULL;
}

/* It stands for a wish, and is not called itself. */
bool blocking_can(uint32_t number, uint64_t object)
{
	(void)number;
	(void)object;
	return false;
}

/* ---- one wish ---- */

/* The kernel writes into what it polls, and the array is the program's. */
static bool fds_are_ready(const struct pollfd *fds, size_t count)
{
	struct pollfd copy[FDS_MOST];

	for (size_t from = 0; from < count; from += FDS_MOST) {
		size_t n = count - from < FDS_MOST ? count - from : FDS_MOST;

		for (size_t i = 0; i < n; i++)
			copy[i] = fds[from + i];
		/* An error is for the real call to report. */
		if (SYS_3(SYS_poll, copy, n, 0) != 0)
			return true;
	}
	return false;
}

bool wish_is_fulfilled(const struct wish *w)
{
	return w->can ? w->can(w) : fds_are_ready(w->fds, w->count);
}

static bool is_fulfilled(uint32_t n)
{
	if (!wishes[n])
		return away_is_back(n);
	return cancel_is_pending(n) || wish_is_fulfilled(wishes[n]);
}

static bool is_outside(uint32_t n)
{
	return !wishes[n] || !wishes[n]->is_inside;
}

/* A thread may have a wish and run: in a handler, for instance. */
static bool is_waiting(uint32_t n)
{
	return wishes[n] ? turn_is_waiting(n) : of(n)->state == THREAD_AWAY;
}

static enum thread_state waiting_state(uint32_t n)
{
	if (is_outside(n))
		return THREAD_AWAY;
	return of(n)->deadline ? THREAD_ASLEEP : THREAD_BLOCKED;
}

/* ---- the real world ---- */

static uint64_t real_ms(void)
{
	struct timespec t = { 0 };

	SYS_2(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct gathering {
	struct pollfd fds[FDS_MOST];
	size_t count;
	bool can_tick; /* something cannot be polled: look again and again */
};

static void gather(struct gathering *g, uint32_t n)
{
	const struct wish *w = wishes[n];

	if (!w)
		return;
	if (w->can || w->count > FDS_MOST - g->count) {
		g->can_tick = true;
		return;
	}
	for (size_t i = 0; i < w->count; i++)
		g->fds[g->count++] = w->fds[i];
}

/* Sleeps until something outside may have happened, at most for so long. */
static void world_sleep(uint32_t seen, int64_t limit_ms)
{
	struct gathering g = { 0 };

	for (uint32_t i = 0; i < blocking_count; i++)
		if (is_outside(list[i]))
			gather(&g, list[i]);
	if (g.can_tick || (g.count && away_count))
		limit_ms = TICK_MS;
	else if (limit_ms < 0 || limit_ms > SIGNAL_TICK_MS)
		limit_ms = SIGNAL_TICK_MS;
	atomic_store(&control->run.napping, 1);
	if (g.count || g.can_tick)
		SYS_3(SYS_poll, g.fds, g.count, limit_ms);
	else
		away_sleep(seen, limit_ms);
	atomic_store(&control->run.napping, 0);
}

/* Waits for what this one thread waits for. A world that is played sends
 * nothing before it is asked. */
static bool world_await(uint32_t n, uint64_t most_ms)
{
	uint64_t start = real_ms();

	for (;;) {
		uint32_t seen = away_seen();

		if (is_fulfilled(n))
			return true;
		if (real_ms() - start > most_ms)
			return false;
		if (world_is_played())
			world_idle(false);
		world_sleep(seen, 100);
	}
}

/* A plan says that this thread's wish was fulfilled here. */
static void world_follow(uint32_t me, uint32_t n)
{
	if (is_waiting(n) && !world_await(n, FOLLOW_MS))
		follow_diverge(me, "what a thread waited for outside did not "
				   "come");
}

/* ---- decisions ---- */

static void arrive(uint32_t me, uint32_t n)
{
	turn_step(me, STEP_ARRIVE, n);
	turn_become(n, THREAD_READY);
}

static void time_is_up(uint32_t me, uint32_t n)
{
	turn_step(me, STEP_TIMEOUT, n);
	turn_fire(n);
}

static bool is_late(uint32_t n)
{
	return of(n)->deadline && of(n)->deadline <= control->run.now;
}

static void look_inside(uint32_t n, bool is_ready)
{
	turn_become(n, is_ready ? THREAD_READY : waiting_state(n));
}

void blocking_look_inside(void)
{
	for (uint32_t i = 0; i < blocking_count; i++)
		if (is_waiting(list[i]) && !is_outside(list[i]))
			look_inside(list[i], is_fulfilled(list[i]));
}

static void look_at(uint32_t me, uint32_t n, bool is_free)
{
	bool is_ready = is_fulfilled(n);

	if (!is_outside(n)) {
		look_inside(n, is_ready);
		return;
	}
	if (of(n)->state == THREAD_READY) {
		/* Somebody else took what it came for. */
		if (!is_ready && wishes[n])
			turn_become(n, THREAD_AWAY);
		return;
	}
	if (is_ready && is_free)
		arrive(me, n);
	else if (is_free && is_late(n))
		time_is_up(me, n);
}

/* The plan says that a thread arrived that nobody had heard of. */
static void foreigner_follow(uint32_t me, uint32_t n)
{
	uint64_t start = real_ms();

	while (!away_take_in(me, n)) {
		if (of(n)->state != THREAD_UNUSED ||
		    real_ms() - start > FOLLOW_MS)
			follow_diverge(me, "a thread that arrives does not "
					   "wait for anything outside");
		atomic_store(&control->run.napping, 1);
		away_sleep(away_seen(), TICK_MS);
		atomic_store(&control->run.napping, 0);
	}
}

static void look_at_plan(uint32_t me)
{
	enum step_what what;
	uint32_t n;

	/* It rang while nobody could go on; else turn.c rings it. */
	while (timing_alarm_at && !turn_eligible_count &&
	       follow_finds(me, STEP_ALARM)) {
		turn_step(me, STEP_ALARM, 0);
		timing_alarm_ring();
	}
	while (follow_arrival(me, &what, &n)) {
		if (n >= CONTROL_THREADS)
			follow_diverge(me, "the plan is damaged");
		if (!listed[n]) {
			foreigner_follow(me, n);
		} else if (what == STEP_TIMEOUT) {
			time_is_up(me, n);
		} else {
			world_follow(me, n);
			arrive(me, n);
		}
	}
}

/* In a world that is played nothing changes by itself: only when the tool has
 * answered, or a thread has made a call. What else there may be, a descriptor
 * that is closed, is noticed a little later, and before anybody has to wait. */
static bool nothing_changed(void)
{
	enum { SELDOM = 256 };

	return world_is_played() && !blocking_changed && turn_eligible_count &&
	       control->run.points % SELDOM != 0;
}

void blocking_look(uint32_t me)
{
	bool is_strict = follow_is_strict(), skips = nothing_changed();
	/* Behind the end of a plan nobody has arrived any more. */
	bool is_free = !is_strict &&
		       (!follow_is_behind() || !turn_eligible_count);

	if (unlikely(away_foreigners()) && is_free)
		away_look(me);
	for (uint32_t i = 0; i < blocking_count; i++)
		if (!skips && is_waiting(list[i]))
			look_at(me, list[i], is_free);
	blocking_changed = false;
	if (is_strict)
		look_at_plan(me);
}

enum thread_state blocking_state(uint32_t n)
{
	/* Later looks are blocking_look's. */
	if (n != atomic_load(&control->run.holder))
		return of(n)->state;
	if (cancel_is_pending(n))
		return THREAD_READY;
	if (is_outside(n) && follow_is_behind() && !world_is_played())
		return world_await(n, PATIENCE_MS) ? THREAD_READY : THREAD_AWAY;
	if (!is_outside(n) || !follow_is_strict())
		return is_fulfilled(n) ? THREAD_READY : waiting_state(n);
	if (follow_is_away(n))
		return THREAD_AWAY;
	world_follow(n, n);
	return THREAD_READY;
}

/* ---- nobody can go on ---- */

/* The one whose deadline comes first, among those in a state that waits. */
static uint32_t first_deadline(void)
{
	uint32_t first = NO_THREAD;

	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		const struct control_thread *c = of(n);

		if ((c->state == THREAD_ASLEEP || c->state == THREAD_AWAY) &&
		    c->deadline &&
		    (first == NO_THREAD || c->deadline < of(first)->deadline))
			first = n;
	}
	return first;
}

bool blocking_is_outside(void)
{
	for (uint32_t i = 0; i < blocking_count; i++)
		if (is_outside(list[i]))
			return true;
	return away_foreigners() || offspring_lives() || strangers_live();
}

/* When the earliest of sleepers and alarms is due; UINT64_MAX: none is. */
static uint64_t first_due(uint32_t sleeper)
{
	uint64_t due = sleeper == NO_THREAD ? UINT64_MAX :
					      of(sleeper)->deadline;

	return timing_alarm_at && timing_alarm_at < due ? timing_alarm_at : due;
}

/* How long the world may take, in real milliseconds; -1: as long as it
 * wants. */
static int64_t patience(uint64_t due)
{
	uint64_t now = control->run.now, left;

	if (due == UINT64_MAX)
		return -1;
	left = due > now ? (due - now) / 1000000 + 1 : 0;
	return left < PATIENCE_MS ? (int64_t)left : PATIENCE_MS;
}

/* The world had its chance. */
static uint32_t time_passes(uint32_t me, uint32_t sleeper, uint64_t due)
{
	if (due == timing_alarm_at) {
		turn_step(me, STEP_ALARM, 0);
		timing_alarm_ring();
		return turn_eligible_count ? NO_THREAD : blocking_wait(me);
	}
	if (of(sleeper)->state == THREAD_ASLEEP)
		return sleeper;
	time_is_up(me, sleeper);
	return NO_THREAD;
}

/* The last child has ended, and nothing came of it. */
static uint32_t nobody_outside(uint32_t me, uint32_t sleeper, uint64_t due)
{
	if (signal_rescues())
		return NO_THREAD;
	if (due == UINT64_MAX)
		control_fail(turn_thread(me), OUTCOME_DEADLOCK, NULL,
			     of(me)->pc);
	return time_passes(me, sleeper, due);
}

/* The same with a world that is played: it is asked, and not waited for. Only
 * threads that are really away take their time. */
static uint32_t wait_in_step(uint32_t me)
{
	uint32_t sleeper = first_deadline();
	uint64_t due = first_due(sleeper), start = real_ms();

	blocking_changed = true;
	for (;;) {
		uint32_t seen = away_seen();

		blocking_look(me);
		if (turn_eligible_count || signal_rescues())
			return NO_THREAD;
		if (!away_count || real_ms() - start >= PATIENCE_MS) {
			if (!world_idle(due != UINT64_MAX))
				return time_passes(me, sleeper, due);
			start = real_ms();
		}
		world_sleep(seen, -1);
		blocking_changed = true;
		if (!blocking_is_outside())
			return nobody_outside(me, sleeper, due);
	}
}

uint32_t blocking_wait(uint32_t me)
{
	uint32_t sleeper = first_deadline();
	uint64_t due = first_due(sleeper), start = real_ms();
	int64_t most = patience(due), spent;

	server_idle();
	if (world_is_played())
		return wait_in_step(me);
	for (;;) {
		uint32_t seen = away_seen();

		blocking_look(me);
		if (turn_eligible_count || signal_rescues())
			return NO_THREAD;
		spent = (int64_t)(real_ms() - start);
		if (most >= 0 && spent >= most)
			return time_passes(me, sleeper, due);
		world_sleep(seen, most < 0 ? -1 : most - spent);
		if (!blocking_is_outside())
			return nobody_outside(me, sleeper, due);
	}
}

/* ---- waiting ---- */

enum turn_end blocking_await(struct thread *t, const struct wish *wish,
			     const volatile void *object, uint64_t deadline,
			     uintptr_t pc)
{
	uint32_t me = t->number;
	/* Of the call that a handler interrupted. */
	const struct wish *outer = listed[me] ? wishes[me] : NULL;
	enum turn_end end;

	if (!listed[me])
		blocking_add(me);
	wishes[me] = wish;
	end = turn_await_signal(t, EVENT_CALL, object, pc, blocking_can,
				deadline);
	if (outer)
		wishes[me] = outer;
	else
		blocking_remove(me);
	return end;
}

/* The plan says that it was fulfilled. */
static void peek_follow(uint32_t me, const struct wish *wish)
{
	uint64_t start = real_ms();

	while (!wish_is_fulfilled(wish)) {
		if (real_ms() - start > FOLLOW_MS)
			follow_diverge(me, "what a thread asked for outside "
					   "was not there");
		SYS_3(SYS_poll, NULL, 0, TICK_MS);
	}
}

bool blocking_peek(struct thread *t, const struct wish *wish,
		   const volatile void *object, uintptr_t pc)
{
	bool is_ready;

	if (turn_live > 1)
		turn_point(t, EVENT_CALL, object, pc);
	if (wish->is_inside)
		return wish_is_fulfilled(wish);
	if (follow_is_strict()) {
		is_ready = follow_finds(t->number, STEP_CHOICE);
		if (is_ready)
			peek_follow(t->number, wish);
	} else {
		is_ready = wish_is_fulfilled(wish);
	}
	if (is_ready)
		turn_step(t->number, STEP_CHOICE, 1);
	return is_ready;
}
