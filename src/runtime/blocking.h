/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BLOCKING_H
#define HEDDLE_BLOCKING_H

/*
 * Waiting for the world: pipes, sockets, children, whatever a thread waits for
 * that is not an object of the model.
 *
 * When a thread comes back from a real call is the kernel's to say, and would
 * be another choice in every run. So a thread makes a *wish* instead (this
 * descriptor can be read, this child has ended), waits for the turn like any
 * other, and makes the real call when the wish is fulfilled and it has the
 * turn. Wishes are looked at in decisions, and only there.
 *
 * Wishes are of two sorts. *Inside*: all that can fulfil it are other threads
 * of this process, as with a pipe that was made here and that no child has.
 * It follows from what threads do, so such a thread is BLOCKED like one that
 * waits for a mutex, and nobody left to go on is a deadlock. *Outside*:
 * somebody else may. The thread is AWAY, and the decision in which its wish was
 * found fulfilled becomes a step of the schedule (STEP_ARRIVE). A plan that is
 * followed says when that was: then the wish is really waited for, and what
 * came earlier is not noticed.
 *
 * Calls that cannot be put as a wish are made for real, between turn_away and
 * turn_back; the thread arrives the same way.
 *
 * Time. A wish may have a deadline, on the virtual clock. When nobody can go
 * on, and somebody waits for the outside, the real world gets a chance first:
 * it is waited for as long as the earliest deadline says, but no longer than
 * PATIENCE_MS; then that deadline has come (STEP_TIMEOUT for a thread that is
 * AWAY). Without any deadline it is waited for until the run is ended as hung.
 *
 * All functions are called by the thread that has the turn, except where they
 * say otherwise.
 */

#include "runtime/turn.h"

#include <poll.h>

#pragma GCC visibility push(hidden)

enum { PATIENCE_MS = 50 };

/* An object of the turn that is a descriptor. */
#define DESCRIPTOR_OBJECT (UINT64_C(1) << 62)

/* What a thread waits for. It lies on the stack of that thread. */
struct wish {
	/* One descriptor, or several: any of them. */
	const struct pollfd *fds;
	size_t count;

	/* Or a predicate; it must not wait and not touch errno. */
	bool (*can)(const struct wish *wish);
	const void *arg;

	bool is_inside;
};

/* Is it, now? */
bool wish_is_fulfilled(const struct wish *wish);

/* Waits until the wish is fulfilled. */
enum turn_end blocking_await(struct thread *t, const struct wish *wish,
			     const volatile void *object, uint64_t deadline,
			     uintptr_t pc);

/* A point at which the wish is only asked for; what the answer was is in the
 * schedule, if it came from outside. */
bool blocking_peek(struct thread *t, const struct wish *wish,
		   const volatile void *object, uintptr_t pc);

/* ---- for turn.c ---- */

/* How many threads wait for the world. */
extern uint32_t blocking_count;

/* A thread has made a call since the last look. */
extern bool blocking_changed;

/* The predicate of a thread that has a wish. Its state, when it begins to wait,
 * is asked of blocking_state. */
turn_can blocking_can;
enum thread_state blocking_state(uint32_t number);

/* In a decision of `me`: who has arrived? */
void blocking_look(uint32_t me);

/* The same for those who wait for the inside alone: something has changed that
 * no thread did. */
void blocking_look_inside(void);

/* Does anybody wait for the outside? */
bool blocking_is_outside(void);

/* Somebody does, and nobody is eligible: waits until somebody is (NO_THREAD),
 * or until one that is ASLEEP is to go on. */
uint32_t blocking_wait(uint32_t me);

/* The thread wakes up with a word other than its turn. */
void blocking_errand(uint32_t word);

/* The thread is at a point and does not have the turn: it was taken away, or
 * nobody ever heard of the thread. Returns when it has the turn. */
COLD void blocking_regain(struct thread *t);

/* ---- of turn.c, for the files that begin with blocking ---- */

/* What `turn` of a thread says. */
enum turn_word {
	TURN_NONE,
	TURN_YOURS,
	TURN_ERRAND, /* somebody left and has nobody to give the turn to */
	TURN_LOST,   /* the watchdog took the turn away */
};

void turn_become(uint32_t number, enum thread_state state);
void turn_step(uint32_t me, enum step_what what, uint32_t to);
void turn_fire(uint32_t number);
void turn_stand(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc);

/* It waits for a wish, neither fired nor disturbed. */
bool turn_is_waiting(uint32_t number);

/* Chooses who goes on in place of `gone`, which is AWAY, and gives it the
 * turn. */
void turn_pass(uint32_t gone);
void turn_wait(uint32_t me);
void turn_wake(uint32_t number, enum turn_word word);
void turn_foreign(struct thread *t);
struct thread *turn_thread(uint32_t number);

#pragma GCC visibility pop

#endif
