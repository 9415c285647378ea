/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SIGNAL_CONTROL_H
#define HEDDLE_SIGNAL_CONTROL_H

/*
 * Signals under control: handlers run at points, in the thread that has the
 * turn, and each run of one is a step of the schedule.
 *
 * A signal that the program sends to itself, and one that a timer of virtual
 * time sends, is *due* for one thread that does not block it; if there are
 * several, the strategy chooses. At that thread's next point it is delivered:
 * raised for real, by the thread itself, so that mask, stack and information
 * are the kernel's business as ever. A thread that waits can go on for that.
 * Somebody who waits for the signal (sigwait) gets it first. A signal that
 * everybody blocks is given to the kernel at once, and is pending there until
 * somebody asks for it or lets it in.
 *
 * A signal from outside strikes anywhere. The trampoline keeps it for the
 * thread's next point. A plan delivers signals where the schedule had them,
 * whether they come again or not.
 *
 * All functions but signal_arrive are called by the thread that has the turn;
 * the mask of a thread is kept here because another cannot ask for it.
 */

#include "runtime/control.h"
#include "runtime/signals.h"

#pragma GCC visibility push(hidden)

/* ---- for turn.c ---- */

/* The thread has the turn and may be inside. Runs the handlers of all signals
 * that are due for it, and acts on cancellation. True: a handler ran. */
bool signal_run_due(struct thread *t);

/* Does the plan deliver a signal to the thread where it stands? */
bool signal_is_planned(uint32_t number);

/* Signals from outside came since they were last noticed; so does the thread
 * each came to. */
extern _Atomic uint32_t signal_arrived;
extern uint32_t signal_noticed;
COLD void signal_notice(void);

/* How many threads wait for signals; such signals are blocked, so from outside
 * they come without the trampoline: signal_poll looks for them. */
extern uint32_t signal_wanting;
COLD void signal_poll(void);

/* In a decision: what came from outside? */
static inline void signal_look(void)
{
	enum { POLL = 64 }; /* one decision in so many */

	/* Pairs with the increment in signal_arrive. */
	if (unlikely(atomic_load_explicit(&signal_arrived,
					  memory_order_relaxed) !=
		     signal_noticed))
		signal_notice();
	if (unlikely(signal_wanting) && control->run.points % POLL == 0)
		signal_poll();
}

/* There may be signals that no thread sends, so that a thread that is alone
 * must have points, too. */
extern volatile bool signal_expected;

/* Nobody can go on. True: a signal from outside has changed that. */
COLD bool signal_rescues(void);

/* ---- for calls that signals interrupt ---- */

/* Handlers ran when the thread stood before its wait. One that stands there
 * may have begun to wait or be just about to, and nobody can tell: did they run
 * before, so that the wait is still to come? That is a choice, and what loses
 * wake-ups. Signals that only the wait lets in cannot come before it; a timer's
 * do so when it rings early. */
bool signal_came_before(struct thread *t);
void signal_wait_is_atomic(const struct thread *t, bool is);

/* Handlers ran during the wait that is just over: is the call begun again, as
 * SA_RESTART of all of them says? */
bool signal_restarts(const struct thread *t);

/* ---- threads ---- */

/* A thread that nobody under control created; all others inherit. */
void signal_begin(const struct thread *t);

/* The thread blocks these: it is about to begin, or has changed its mask. */
void signal_mask_set(uint32_t number, uint64_t mask);
uint64_t signal_mask(uint32_t number);

/* The thread ends. What was due for it and meant for all goes to another. */
void signal_leave(struct thread *t);

/* ---- the trampoline ---- */

/* A signal that is not to be handled here and now was kept. False: run its
 * handler now. The mask to come back to afterwards is given. */
bool signal_arrive(struct thread *t, const siginfo_t *info);
void signal_handler_begins(struct thread *t);
void signal_handler_ends(struct thread *t, uint64_t mask);

/* ---- sending ---- */

/* To the process, as by kill; to a thread of it. The caller is inside; a signal
 * to itself is delivered by signal_deliver_own, when it has left. `pc` is where
 * it was sent, should that be the end of the program. */
void signal_send(const siginfo_t *info, uintptr_t pc);
void signal_send_to(uint32_t number, const siginfo_t *info, uintptr_t pc);
void signal_deliver_own(struct thread *t);

/* Is such a signal to the process due for somebody? */
bool signal_is_due(int signal);

/* Whose memory it is that the thread uses: what a handler uses as well is not
 * the thread's alone. */
uint32_t signal_actor(const struct thread *t);

/* ---- waiting ---- */

/* Between these two signals that the kernel lets in are handled at once: the
 * thread asked for them. True: a handler ran. */
void signal_let_in(struct thread *t);
bool signal_let_in_end(struct thread *t);

/* A call that waits with a mask of its own, as pselect does. True: a handler
 * has run at once, and the call is over. The mask of before is back after the
 * end, which must also be come by when the thread is cancelled in between. */
struct signal_masked {
	struct thread *thread; /* NULL: the mask is the usual one */
	uint64_t kept;
};

bool signal_mask_begin(struct signal_masked *m, struct thread *t,
		       const sigset_t *set, uintptr_t pc);
void signal_mask_end(struct signal_masked *m);

#define SIGNAL_MASKED                                                          \
	struct signal_masked __attribute__((cleanup(signal_mask_end)))

/* The thread waits for one of these signals (bits); whoever sends one writes
 * it to `to`, and signal_was_given is true from then on. Returns the object to
 * wait for. */
const void *signal_want(uint32_t number, uint64_t set, siginfo_t *to);
/* Takes one that the program has sent before, while everybody blocked it. */
bool signal_take_pending(uint32_t number, uint64_t set, siginfo_t *to);

void signal_want_no_more(uint32_t number);
bool signal_was_given(uint32_t number);

#pragma GCC visibility pop

#endif
