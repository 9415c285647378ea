/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TURN_H
#define HEDDLE_TURN_H

/*
 * The turn: who runs, and who may run next.
 *
 * Every thread of a run under control stands before something: its next event.
 * It is READY when that event can happen now, BLOCKED when something else must
 * happen first, ASLEEP when it is blocked but a time is set, AWAY when it is in
 * a real call, OVER when it has ended. At each point the thread that has the
 * turn says what it stands before; the strategy chooses one of those READY (or
 * the turn wakes one ASLEEP), and that thread goes on.
 *
 * Whether an event can happen is a predicate over the real object (turn_can):
 * the mutex is free, the semaphore is above 0. Whoever changed an object calls
 * turn_touch, and the threads that stand before it are looked at again. So a
 * thread that has been given the turn finds that what it wanted can be done
 * without waiting.
 *
 * All functions but turn_enter are called by the thread that has the turn,
 * inside the guest.
 */

#include "format/rng.h"
#include "runtime/apiece.h"
#include "runtime/control.h"

#pragma GCC visibility push(hidden)

#define NO_DEADLINE UINT64_C(0)

/* The main thread has the turn. */
void turn_begin(struct thread *t);

/* A run begins with threads that are there: the strategy meets them, and places
 * are counted from here on. */
void turn_begin_again(void);

/* The creator: a thread is about to begin, and may be chosen from now on;
 * turn_unborn if its creation failed. */
void turn_born(struct thread *creator, struct thread *child, uintptr_t pc);
void turn_unborn(struct thread *child);

/* The new thread: waits until it is chosen for the first time. */
void turn_enter(struct thread *t);

/* The thread ends; it does not have the turn any more. */
void turn_over(struct thread *t);

/* The thread is about to end the process: all that it has to do is done.
 * Others may run before this returns. */
void turn_last(struct thread *t);

/* A point. Somebody else may run before this returns. */
void turn_point(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc);

/* A point at which the thread may have to wait, until `can` holds or, if there
 * is a deadline (virtual nanoseconds since the start), that time has come.
 * True: it can. False: time is up. With `can` NULL only time ends it. */
bool turn_await(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc, turn_can *can,
		uint64_t deadline);

/* The same for a call that signals interrupt: TURN_SIGNAL when a handler has
 * run meanwhile; signal_restarts (signal_control.h) says whether the call then
 * begins anew. In all other waits handlers run and the wait goes on. */
enum turn_end { TURN_CAN, TURN_TIME, TURN_SIGNAL };
enum turn_end turn_await_signal(struct thread *t, enum event_kind kind,
				const volatile void *object, uintptr_t pc,
				turn_can *can, uint64_t deadline);

/* Thread `number` has something to do before what it stands before: a handler
 * of a signal, an end by cancellation. It can go on for that, if it waits. */
void turn_disturb(uint32_t number);

/* A signal is delivered to the thread, here. */
void turn_signal(struct thread *t, int signal);

/* The object changed: look again at those who stand before it. */
void turn_touch(const volatile void *object);

/* The thread asked to let others go first. */
void turn_yield(struct thread *t, uintptr_t pc);

/* A choice of another kind, from 0 to n - 1; it becomes a step. */
uint32_t turn_pick(struct thread *t, enum step_what what, uint32_t n);

/* The same among the n threads named; NO_THREAD when there are none. */
uint32_t turn_pick_thread(struct thread *t, enum step_what what,
			  const uint32_t *among, uint32_t n);

/* A real call that may block: the thread is AWAY from turn_away until it is
 * back, and others run meanwhile. turn_back returns when it has the turn
 * again; that it came back is a step of the schedule. */
void turn_away(struct thread *t, enum event_kind kind,
	       const volatile void *object, uintptr_t pc);
void turn_back(struct thread *t);

/* The thread got or gave up something that others wait for; for reports. */
void turn_hold(struct thread *t, enum event_kind kind,
	       const volatile void *object, uintptr_t pc);
void turn_drop(struct thread *t, const volatile void *object);

/* The run failed: where does every thread stand? */
void turn_tell_stacks(void);

/* ---- for strategies ---- */

/* The threads that are READY, in no particular but reproducible order. */
extern uint32_t turn_eligible_count;

static inline uint32_t turn_eligible(uint32_t i)
{
	return apiece[i].turn.eligible_at;
}

/* Live threads: neither unused nor over. */
extern uint32_t turn_live;

/* The chance that choices of the run are made by. */
extern struct rng turn_chance;

/* How often the holder has stood at its site. */
extern uint32_t turn_visit;

/* Does an event of this kind change its object, so that its order with others
 * there matters? */
static inline bool turn_changes(uint8_t kind)
{
	switch (kind) {
	case EVENT_READ:
	case EVENT_VPTR_READ:
	case EVENT_ATOMIC_LOAD:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_ONCE_PASS:
		return false;
	default:
		return true;
	}
}

static inline bool turn_is_live(uint32_t number)
{
	uint8_t state = control->threads[number].state;

	return state != THREAD_UNUSED && state != THREAD_OVER;
}

static inline bool turn_is_ready(uint32_t number)
{
	return control->threads[number].state == THREAD_READY;
}

#pragma GCC visibility pop

#endif
