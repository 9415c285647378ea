/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/blocking_away.h"

#include "format/watchdog.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"

#include <limits.h>
#include <linux/futex.h>
#include <time.h>

uint32_t away_count;

/* Written by the thread itself, whoever has the turn. */
static _Atomic uint32_t back[CONTROL_THREADS];

/* A futex: raised whenever somebody comes back. */
static _Atomic uint32_t arrivals;

/* Nobody has the turn and nobody is left to decide. */
static _Atomic uint32_t vacant;

/* Who left last, in whose name an errand is done. */
static uint32_t left_last;

/* It was alone, and kept the turn over its call. */
static bool stayed[CONTROL_THREADS];

/* Threads that were not born under our eyes and came to a point. */
static struct thread *_Atomic foreigners[CONTROL_THREADS];
_Atomic uint32_t away_foreign_count;

static struct control_thread *of(uint32_t number)
{
	return &control->threads[number];
}

bool away_is_back(uint32_t number)
{
	return atomic_load(&back[number]);
}

/* ---- waiting for those who are away ---- */

uint32_t away_seen(void)
{
	return atomic_load(&arrivals);
}

void away_sleep(uint32_t seen, int64_t limit_ms)
{
	struct timespec limit = { .tv_sec = limit_ms / 1000,
				  .tv_nsec = limit_ms % 1000 * 1000000 };

	SYS_4(SYS_futex, &arrivals, FUTEX_WAIT, seen,
	      limit_ms < 0 ? NULL : &limit);
}

/* ---- leaving ---- */

static void away_add(uint32_t n)
{
	away_count++;
	blocking_add(n);
	turn_become(n, THREAD_AWAY);
}

static void away_remove(uint32_t n)
{
	away_count--;
	blocking_remove(n);
	atomic_store(&back[n], 0);
}

/* One that waits for its turn, and can do something else meanwhile. */
static uint32_t deputy_find(uint32_t me)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		if (n == me)
			continue;
		switch (of(n)->state) {
		case THREAD_READY:
		case THREAD_BLOCKED:
		case THREAD_ASLEEP:
			return n;
		case THREAD_AWAY:
			if (turn_is_waiting(n))
				return n;
		}
	}
	return NO_THREAD;
}

static bool somebody_is_back(void)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (away_is_back(n))
			return true;
	return atomic_load(&away_foreign_count) != 0;
}

static void vacate(void)
{
	atomic_store(&vacant, 1);
	/* Whoever came back before it was vacant did not see that it is. */
	if (somebody_is_back() && atomic_exchange(&vacant, 0))
		turn_pass(left_last);
}

static void leave(uint32_t me)
{
	uint32_t deputy;

	left_last = me;
	if (turn_eligible_count) {
		turn_pass(me);
		return;
	}
	deputy = deputy_find(me);
	if (deputy != NO_THREAD)
		turn_wake(deputy, TURN_ERRAND);
	else
		vacate();
}

void turn_away(struct thread *t, enum event_kind kind,
	       const volatile void *object, uintptr_t pc)
{
	uint32_t me = t->number;

	if (turn_live == 1) {
		stayed[me] = true;
		return;
	}
	turn_stand(t, kind, object, pc);
	away_add(me);
	leave(me);
}

void away_run(struct thread *t, uintptr_t pc)
{
	struct control_run *run = &control->run;

	if (atomic_load(&run->holder) != t->number || !turn_eligible_count)
		return;
	guest_enter(t);
	run->lost_count++;
	run->lost_thread = t->number;
	run->lost_stack = stack_node(t, pc);
	run->ran_away = 1;
	away_add(t->number);
	leave(t->number);
	guest_leave(t);
}

/* ---- coming back ---- */

static void come_back(uint32_t me)
{
	atomic_store(&back[me], 1);
	atomic_fetch_add(&arrivals, 1);
	SYS_3(SYS_futex, &arrivals, FUTEX_WAKE, INT_MAX);
	if (atomic_exchange(&vacant, 0))
		turn_pass(left_last);
	turn_wait(me);
}

void turn_back(struct thread *t)
{
	uint32_t me = t->number;

	if (stayed[me]) {
		stayed[me] = false;
		return;
	}
	/* A handler may have come to a point meanwhile. Who has the turn does
	 * not tell: it keeps the name of the one who left while a deputy
	 * decides in its place. */
	if (of(me)->state != THREAD_AWAY)
		return;
	come_back(me);
	away_remove(me);
}

/* ---- errands ---- */

/* The thread sleeps in the kernel, in something we do not know; it may come to
 * a point at any time, and then waits. */
static void lost_take(uint32_t lost)
{
	struct control_run *run = &control->run;
	struct thread *t = turn_thread(lost);

	run->lost_count++;
	run->lost_stack = t ? stack_node(t, of(lost)->pc) : NO_STACK;
	run->ran_away = 0;
	left_last = lost;
	away_add(lost);
	atomic_store(&run->lost, LOST_NONE);
}

void blocking_errand(uint32_t word)
{
	if (word == TURN_LOST)
		lost_take(control->run.lost_thread);
	turn_pass(left_last);
}

/* ---- without the turn ---- */

/* The watchdog wants the turn of this thread, or has it. False: it did not
 * take it after all. */
static bool lost_agree(uint32_t me)
{
	struct control_run *run = &control->run;

	while (atomic_load(&run->holder) == NO_THREAD) {
		uint32_t lost = LOST_PROPOSED;

		if (of(me)->state == THREAD_AWAY ||
		    atomic_compare_exchange_strong(&run->lost, &lost,
						   LOST_AGREED) ||
		    lost != LOST_NONE)
			return true;
		/* It is being given back. */
		__builtin_ia32_pause();
	}
	return atomic_load(&run->holder) != me;
}

static void foreigner_wait(struct thread *t)
{
	uint32_t me = t->number;

	if (me >= CONTROL_THREADS)
		control_fail(t, OUTCOME_LIMIT,
			     "more threads than can be controlled", 0);
	guest_note("a thread that was not started under control came to a "
		   "point; when it did so was left to chance");
	atomic_store(&foreigners[me], t);
	atomic_fetch_add(&away_foreign_count, 1);
	come_back(me);
	atomic_store(&back[me], 0);
	signal_begin(t);
}

COLD void blocking_regain(struct thread *t)
{
	uint32_t me = t->number;

	if (!turn_thread(me)) {
		foreigner_wait(t);
		return;
	}
	if (!lost_agree(me))
		return;
	come_back(me);
	away_remove(me);
}

bool away_take_in(uint32_t me, uint32_t n)
{
	struct thread *t = atomic_exchange(&foreigners[n], NULL);

	if (!t)
		return false;
	atomic_fetch_sub(&away_foreign_count, 1);
	turn_foreign(t);
	turn_step(me, STEP_ARRIVE, n);
	return true;
}

void away_look(uint32_t me)
{
	for (uint32_t n = 0; away_foreigners() && n < CONTROL_THREADS; n++)
		away_take_in(me, n);
}
