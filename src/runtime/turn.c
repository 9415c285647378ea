/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/turn.h"

#include "runtime/blocking.h"
#include "runtime/blocking_away.h"
#include "runtime/learn.h"
#include "runtime/openmp.h"
#include "runtime/rule.h"
#include "runtime/schedule.h"
#include "runtime/signal_control.h"
#include "runtime/sleepers.h"
#include "runtime/spin.h"
#include "runtime/spin_entry.h"
#include "runtime/strategy.h"
#include "runtime/timing.h"
#include "runtime/values.h"
#include "runtime/visits.h"
#include "runtime/world.h"

/*
 * One decision: the holder has said what it stands before (stand), and whether
 * it can go on. A strategy, or the plan, names the next; if that is another
 * thread, a step is written and the turn passes by futex.
 */

uint32_t turn_eligible_count;
uint32_t turn_live;
uint32_t turn_visit;

static uint32_t waiter_count;

static uint32_t states[THREAD_OVER + 1]; /* how many threads are in each */
static const struct strategy *strategy;
struct rng turn_chance;

static struct control_thread *of(uint32_t number)
{
	return &control->threads[number];
}

/* The i-th of the threads whose event depends on an object. */
static uint32_t waiter(uint32_t i)
{
	return apiece[i].turn.waiter_at;
}

/* ---- states ---- */

static void eligible_add(uint32_t n)
{
	of(n)->place = turn_eligible_count;
	apiece[turn_eligible_count++].turn.eligible_at = n;
}

static void eligible_remove(uint32_t n)
{
	uint32_t last = turn_eligible(--turn_eligible_count);

	apiece[of(n)->place].turn.eligible_at = last;
	of(last)->place = of(n)->place;
}

static void become(uint32_t n, enum thread_state state)
{
	struct control_thread *c = of(n);

	if (c->state == state)
		return;
	if (c->state == THREAD_READY)
		eligible_remove(n);
	states[c->state]--;
	c->state = (uint8_t)state;
	states[state]++;
	if (state == THREAD_READY)
		eligible_add(n);
	else if (state == THREAD_ASLEEP && c->deadline < sleepers_next)
		sleepers_next = c->deadline;
}

static void waiter_add(uint32_t n, turn_can *can)
{
	apiece[n].turn.can = can;
	apiece[n].turn.waiter = waiter_count;
	apiece[waiter_count++].turn.waiter_at = n;
}

static void waiter_remove(uint32_t n)
{
	uint32_t last = waiter(--waiter_count);

	apiece[apiece[n].turn.waiter].turn.waiter_at = last;
	apiece[last].turn.waiter = apiece[n].turn.waiter;
	apiece[n].turn.can = NULL;
}

/* ---- rules of order ---- */

static bool is_held(uint32_t n)
{
	return unlikely(rule_count) && rule_holds(n, apiece[n].turn.visit);
}

static enum thread_state state_of(uint32_t n);

/* Rules changed: who is still held? */
static void held_look(void)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (of(n)->state == THREAD_HELD && !is_held(n))
			become(n,
			       apiece[n].turn.can ? state_of(n) : THREAD_READY);
}

/* The thread, which could go on, stands at a point. */
static void held_stand(uint32_t n)
{
	if (likely(!rule_count))
		return;
	if (states[THREAD_HELD] && rule_tires())
		held_look();
	if (is_held(n))
		become(n, THREAD_HELD);
}

static void held_goes_on(uint32_t n)
{
	if (unlikely(rule_count) && rule_goes_on(n, apiece[n].turn.visit))
		held_look();
}

static enum thread_state state_of(uint32_t n)
{
	if (apiece[n].turn.disturbed)
		return THREAD_READY;
	if (apiece[n].turn.can == blocking_can)
		return blocking_state(n);
	if (apiece[n].turn.can && apiece[n].turn.can(n, of(n)->object))
		return is_held(n) ? THREAD_HELD : THREAD_READY;
	return of(n)->deadline ? THREAD_ASLEEP : THREAD_BLOCKED;
}

void turn_touch(const volatile void *object)
{
	spin_touch((uintptr_t)object);
	for (uint32_t i = 0; i < waiter_count; i++) {
		uint32_t n = waiter(i);

		if (of(n)->object == (uintptr_t)object && !apiece[n].turn.fired)
			become(n, state_of(n));
	}
}

/* A thread has ended: its joiner, and whoever waits for a robust mutex it
 * held, can go on. */
static void look_again(void)
{
	for (uint32_t i = 0; i < waiter_count; i++)
		if (!apiece[waiter(i)].turn.fired)
			become(waiter(i), state_of(waiter(i)));
}

/* ---- passing ---- */

static void turn_give(uint32_t to)
{
	control->run.switches++;
	control->run.holder = to;
	turn_wake(to, TURN_YOURS);
}

/* ---- choosing ---- */

void turn_fire(uint32_t n)
{
	if (of(n)->deadline > control->run.now)
		control->run.now = of(n)->deadline;
	apiece[n].turn.fired = true;
	spin_fired(n, of(n)->kind);
	become(n, THREAD_READY);
}

/* Nobody can go on by itself: the one who is to, or NO_THREAD when somebody can
 * by now, or a plan says who. */
static uint32_t nobody_eligible(uint32_t me)
{
	uint32_t n;

	if (follow_is_strict())
		return NO_THREAD;
	if (blocking_is_outside())
		return blocking_wait(me);
	if (states[THREAD_HELD] && !states[THREAD_ASLEEP]) {
		rule_break();
		held_look();
		return NO_THREAD;
	}
	if (signal_rescues() || is_following() || is_ordered())
		return NO_THREAD;
	n = sleepers_first();
	if (n == NO_THREAD)
		control_fail(apiece[me].turn.thread, OUTCOME_DEADLOCK, NULL,
			     of(me)->pc);
	return n;
}

static uint32_t another_than(uint32_t n)
{
	uint32_t first = turn_eligible(0);

	return first == n && turn_eligible_count > 1 ? turn_eligible(1) : first;
}

/* Who is about to end the process, and since which point. */
static uint32_t last = NO_THREAD;
static uint64_t last_since;

/* Others may come to no end: then the process ends nevertheless. A search for
 * all schedules says so; it waits less, for it looks at every pair of lines. */
static bool last_is_due(void)
{
	enum { POINTS = 2000, POINTS_ORDERED = 300 };
	uint64_t most = is_ordered() ? POINTS_ORDERED : POINTS;

	if (is_following() || !turn_is_ready(last) ||
	    (control->run.points < last_since + most && !spin_is_unseen()))
		return false;
	values_unmodelled(EVENT_THREAD_END);
	return true;
}

static uint32_t choose(uint32_t me, enum step_what what)
{
	uint32_t next = NO_THREAD;

	signal_look();
	if (unlikely(last != NO_THREAD) && last_is_due())
		return last;
	if (unlikely(blocking_count || away_foreigners()))
		blocking_look(me);
	if (unlikely(timing_alarm_at))
		sleepers_alarms(me);
	if (unlikely(states[THREAD_ASLEEP])) {
		sleepers_due();
		next = sleepers_early(what);
	}
	if (unlikely(!turn_eligible_count) && next == NO_THREAD)
		next = nobody_eligible(me);
	if (next != NO_THREAD)
		return next;
	if (what != STEP_YIELD || turn_eligible_count == 1)
		return strategy->choose(me);
	if (strategy->yield)
		return strategy->yield(me);
	next = strategy->choose(me);
	return next == me ? another_than(me) : next;
}

/* A plan may name a thread that has to be fired first. */
static void make_ready(uint32_t me, uint32_t next)
{
	if (of(next)->state == THREAD_ASLEEP)
		turn_fire(next);
	else if (of(next)->state != THREAD_READY)
		control_fail(apiece[me].turn.thread, OUTCOME_DIVERGED,
			     "the thread that is to go on cannot", of(me)->pc);
}

static void decide(uint32_t me, enum step_what what)
{
	uint32_t next = choose(me, what);

	if (likely(next == me) && of(me)->state == THREAD_READY &&
	    (what != STEP_YIELD || turn_eligible_count == 1))
		return;
	make_ready(me, next);
	schedule_step(me, what, next, turn_eligible_count);
	if (next == me)
		return;
	turn_give(next);
	turn_wait(me);
	turn_visit = apiece[me].turn.visit;
}

/* ---- points ---- */

/* The thread says what it stands before. */
static void stand(struct thread *t, enum event_kind kind,
		  const volatile void *object, uintptr_t pc)
{
	struct control_thread *c = of(t->number);
	uint64_t points;

	if (unlikely(atomic_load_explicit(&control->run.holder,
					  memory_order_relaxed) != t->number))
		blocking_regain(t);
	points = control->run.points + 1;
	if (unlikely(c->kind == EVENT_CALL))
		blocking_changed = true;
	c->kind = (uint8_t)kind;
	c->object = (uintptr_t)object;
	c->pc = pc;
	c->site = control_site(pc);
	/* Pairs with looks of the server and of the tool, which are about
	 * whether it changes at all. */
	atomic_store_explicit(&control->run.points, points,
			      memory_order_relaxed);
	control->run.now += world_is_played() ? TIMING_PLAYED : TIMING_POINT;
	turn_visit = visit_count(t->number, c->site);
	apiece[t->number].turn.visit = turn_visit;
	if (unlikely(control->ask.flags & CONTROL_LEARN))
		learn_event(t->number);
	if (strategy->stands)
		strategy->stands(t->number);
	stack_look(t, pc);
	if (unlikely(points > control->ask.points_most))
		control_fail(t, OUTCOME_LIMIT, spin_limit_text(t), pc);
}

/* What disturbed the thread is done, in the program's code; afterwards it
 * stands where it stood. True: a handler ran. */
static COLD bool disturbed_act(struct thread *t)
{
	const struct control_thread *c = of(t->number);
	enum event_kind kind = c->kind;
	uintptr_t object = c->object, pc = c->pc;
	bool ran;

	apiece[t->number].turn.disturbed = false;
	ran = signal_run_due(t);
	stand(t, kind, (void *)object, pc);
	return ran;
}

static inline bool is_disturbed(uint32_t me)
{
	if (unlikely(apiece[me].turn.disturbed))
		return true;
	return unlikely(is_following()) && signal_is_planned(me);
}

static inline bool disturbed_look(struct thread *t)
{
	return unlikely(is_disturbed(t->number)) && disturbed_act(t);
}

void point_here(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc)
{
	stand(t, kind, object, pc);
	held_stand(t->number);
	decide(t->number, spin_stands(t) ? STEP_YIELD : STEP_PREEMPT);
	held_goes_on(t->number);
	spin_goes_on(kind);
	values_point(t->number, true);
	disturbed_look(t);
}

/* True: it can, or was disturbed. */
static bool await_once(uint32_t me, turn_can *can, uint64_t deadline)
{
	bool fired;

	of(me)->deadline = deadline;
	waiter_add(me, can);
	become(me, state_of(me));
	if (of(me)->state == THREAD_BLOCKED && spin_is_ring(me, false))
		control_fail(apiece[me].turn.thread, OUTCOME_DEADLOCK, NULL,
			     of(me)->pc);
	decide(me, of(me)->state == THREAD_READY ? STEP_PREEMPT : STEP_BLOCK);
	waiter_remove(me);
	fired = apiece[me].turn.fired;
	apiece[me].turn.fired = false;
	of(me)->deadline = NO_DEADLINE;
	return !fired;
}

enum turn_end await_signal_here(struct thread *t, enum event_kind kind,
				const volatile void *object, uintptr_t pc,
				turn_can *can, uint64_t deadline)
{
	bool in_time;

	stand(t, kind, object, pc);
	spin_stands(t);
	for (;;) {
		in_time = await_once(t->number, can, deadline);
		if (in_time)
			spin_goes_on(kind);
		if (likely(!is_disturbed(t->number)))
			return values_point(t->number, in_time) ? TURN_CAN :
								  TURN_TIME;
		if (disturbed_act(t) && !signal_came_before(t))
			return TURN_SIGNAL;
		if (!in_time)
			return TURN_TIME;
	}
}

bool await_here(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc, turn_can *can,
		uint64_t deadline)
{
	bool in_time;

	stand(t, kind, object, pc);
	spin_stands(t);
	do {
		in_time = await_once(t->number, can, deadline);
		if (in_time)
			spin_goes_on(kind);
		if (likely(!is_disturbed(t->number)))
			return values_point(t->number, in_time);
		disturbed_act(t);
	} while (in_time);
	return in_time;
}

void turn_disturb(uint32_t number)
{
	bool waits = of(number)->state == THREAD_BLOCKED ||
		     of(number)->state == THREAD_ASLEEP ||
		     turn_is_waiting(number);

	apiece[number].turn.disturbed = true;
	spin_change();
	if (waits)
		become(number, THREAD_READY);
}

void yield_here(struct thread *t, uintptr_t pc)
{
	stand(t, EVENT_TIME, NULL, pc);
	spin_stands(t);
	decide(t->number, STEP_YIELD);
	values_point(t->number, true);
	disturbed_look(t);
}

/* ---- for blocking.h ---- */

void turn_become(uint32_t number, enum thread_state state)
{
	become(number, state);
}

void turn_step(uint32_t me, enum step_what what, uint32_t to)
{
	schedule_step(me, what, to, turn_eligible_count);
}

void turn_stand(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc)
{
	stand(t, kind, object, pc);
}

bool turn_is_waiting(uint32_t number)
{
	return apiece[number].turn.can == blocking_can &&
	       !apiece[number].turn.fired && !apiece[number].turn.disturbed;
}

struct thread *turn_thread(uint32_t number)
{
	return number < CONTROL_THREADS ? apiece[number].turn.thread : NULL;
}

void turn_pass(uint32_t gone)
{
	uint32_t next = choose(gone, STEP_BLOCK);

	make_ready(gone, next);
	schedule_step(gone, STEP_BLOCK, next, turn_eligible_count);
	turn_give(next);
}

/* ---- births and ends ---- */

static void thread_set_up(struct thread *t)
{
	uint32_t n = t->number;

	if (n >= CONTROL_THREADS)
		control_fail(self, OUTCOME_LIMIT,
			     "more threads than can be controlled", 0);
	*of(n) = (struct control_thread){ .kind = EVENT_THREAD_BEGIN };
	apiece[n].turn.thread = t;
	apiece[n].turn.can = NULL;
	apiece[n].turn.fired = apiece[n].turn.disturbed = false;
	if (n >= control->run.thread_count)
		control->run.thread_count = n + 1;
	states[THREAD_UNUSED]++;
	spin_change();
	turn_live++;
	become(n, THREAD_READY);
}

static void strategy_begin(void)
{
	enum { FOR_STRATEGY = 1 };
	uint32_t which = control->ask.strategy;

	turn_chance = rng_fork(control->run.seed, FOR_STRATEGY);
	sleepers_begin();
	strategy = strategies[which < STRATEGIES ? which : 0];
	strategy->begin(&turn_chance);
}

void turn_begin(struct thread *t)
{
	thread_set_up(t);
	strategy_begin();
	if (strategy->stands)
		strategy->stands(t->number);
}

void turn_begin_again(void)
{
	visits_forget();
	strategy_begin();
	spin_change();
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		apiece[n].turn.visit = 0;
		of(n)->rank = 0;
		of(n)->count = 0;
		if (turn_is_live(n) && strategy->stands)
			strategy->stands(n);
	}
	turn_visit = 0;
}

void turn_born(struct thread *creator, struct thread *child, uintptr_t pc)
{
	openmp_refuse(creator, pc);
	thread_set_up(child);
	of(child->number)->pc = pc;
	of(child->number)->site = control_site(pc);
	if (strategy->stands)
		strategy->stands(child->number);
}

void turn_foreign(struct thread *t)
{
	thread_set_up(t);
}

void turn_unborn(struct thread *child)
{
	turn_live--;
	become(child->number, THREAD_OVER);
}

void turn_over(struct thread *t)
{
	uint32_t me = t->number, next;

	stand(t, EVENT_THREAD_END, NULL, 0);
	values_point(me, true);
	spin_change();
	become(me, THREAD_OVER);
	turn_live--;
	look_again();
	if (!turn_live)
		return;
	next = choose(me, STEP_END);
	make_ready(me, next);
	schedule_step(me, STEP_END, next, turn_eligible_count);
	turn_give(next);
}

/* No line of the trace: it would have to be behind all others. */
void turn_last(struct thread *t)
{
	if (turn_eligible_count < 2)
		return;
	stand(t, EVENT_THREAD_END, NULL, 0);
	last = t->number;
	last_since = control->run.points;
	decide(t->number, STEP_PREEMPT);
}

void turn_tell_stacks(void)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		struct control_thread *c = of(n);

		if (c->state != THREAD_UNUSED && c->state != THREAD_OVER &&
		    apiece[n].turn.thread)
			c->stack = stack_node(apiece[n].turn.thread, c->pc);
	}
}
