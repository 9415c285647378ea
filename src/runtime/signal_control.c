/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signal_control.h"

#include "runtime/apiece.h"
#include "runtime/arrival.h"
#include "runtime/cancel.h"
#include "runtime/ending.h"
#include "runtime/signal_effect.h"
#include "runtime/spin.h"
#include "runtime/strategy.h"
#include "runtime/sys.h"

#include <unistd.h>

/*
 * Signals that are due hang in a list for each thread, by number and in the
 * order in which they were sent, as the kernel would deliver them. An ordinary
 * signal that is due already is not due twice.
 */

struct due {
	struct due *next;
	siginfo_t info;
	bool for_all; /* sent to the process, not to the thread */
};

static uint64_t pending_for_all;
static struct due *due_free;

/* ---- signals that are due ---- */

static struct due *due_new(void)
{
	enum { BATCH = 16 };
	struct due *d;

	if (!due_free) {
		d = guest_map(BATCH * sizeof(*d));
		for (int i = 0; d && i < BATCH; i++) {
			d[i].next = due_free;
			due_free = &d[i];
		}
	}
	d = due_free;
	if (d)
		due_free = d->next;
	return d;
}

static bool is_real_time(int signal)
{
	return signal >= SIGRTMIN;
}

static bool is_blocked(uint32_t n, int signal)
{
	return apiece[n].signal.mask & signal_bit(signal);
}

static bool is_let_in(uint32_t n, int signal)
{
	return !is_blocked(n, signal) ||
	       apiece[n].signal.wanted & signal_bit(signal);
}

/* Only for what the thread can take now: a thread that is disturbed in vain
 * goes another way than the plan of its run says. */
static void due_disturb(uint32_t n)
{
	for (const struct due *d = apiece[n].signal.first; d; d = d->next)
		if (is_let_in(n, d->info.si_signo)) {
			turn_disturb(n);
			return;
		}
}

static void due_add(uint32_t n, const siginfo_t *info, bool for_all)
{
	struct due **at = &apiece[n].signal.first, *d;

	for (; *at && (*at)->info.si_signo <= info->si_signo; at = &(*at)->next)
		if ((*at)->info.si_signo == info->si_signo &&
		    (*at)->for_all == for_all && !is_real_time(info->si_signo))
			return;
	d = due_new();
	if (!d) {
		guest_note("no memory for a signal; it was lost");
		return;
	}
	*d = (struct due){ .next = *at, .info = *info, .for_all = for_all };
	*at = d;
	spin_change();
	due_disturb(n);
}

/* The first that the thread lets in now: a handler that runs may block some. */
static bool due_take(uint32_t n, struct due *taken)
{
	struct due **at = &apiece[n].signal.first, *d;

	while (*at && !is_let_in(n, (*at)->info.si_signo))
		at = &(*at)->next;
	d = *at;
	if (!d)
		return false;
	*taken = *d;
	*at = d->next;
	d->next = due_free;
	due_free = d;
	return true;
}

static bool is_due(uint32_t n, int signal)
{
	for (const struct due *d = apiece[n].signal.first; d; d = d->next)
		if (d->info.si_signo == signal)
			return true;
	return false;
}

bool signal_is_due(int signal)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		for (const struct due *d = apiece[n].signal.first; d;
		     d = d->next)
			if (d->for_all && d->info.si_signo == signal)
				return true;
	return false;
}

/* ---- from outside ---- */

_Atomic uint32_t signal_arrived;
uint32_t signal_noticed;
volatile bool signal_expected;

/* Delivered because the plan said so, and not come yet. */
static _Atomic uint32_t owed[SIGNALS + 1];

bool signal_arrive(struct thread *t, const siginfo_t *info)
{
	uint32_t n = t->number;

	if (apiece[n].signal.raised == info->si_signo) {
		apiece[n].signal.raised = 0;
		return false;
	}
	if (apiece[n].signal.lets_in) {
		turn_signal(t, info->si_signo);
		return false;
	}
	if (atomic_load(&owed[info->si_signo])) {
		atomic_fetch_sub(&owed[info->si_signo], 1);
		return true;
	}
	arrival_put(n, info);
	atomic_fetch_add(&signal_arrived, 1);
	signal_expected = true;
	return true;
}

void signal_notice(void)
{
	struct arrival a;

	if (follow_is_strict())
		return;
	signal_noticed = atomic_load(&signal_arrived);
	while (arrival_take(0, &a))
		if (control->threads[a.thread].state != THREAD_OVER)
			due_add(a.thread, &a.info, false);
		else if (a.info.si_code != SI_TKILL)
			signal_send(&a.info, 0);
}

/* ---- delivering ---- */

/* The kernel runs the trampoline before this returns. */
static void handler_raise(struct thread *t, const siginfo_t *info,
			  const struct sigaction *act)
{
	uint32_t n = t->number, inside = t->inside;

	turn_signal(t, info->si_signo);
	t->inside = 0;
	apiece[n].signal.raised = info->si_signo;
	effect_raise_for(SYS_0(SYS_gettid), info);
	apiece[n].signal.raised = 0;
	apiece[n].signal.restarts = act->sa_flags & SA_RESTART;
	t->inside = inside;
}

static bool give(uint32_t n, const siginfo_t *info)
{
	if (!(apiece[n].signal.wanted & signal_bit(info->si_signo)))
		return false;
	spin_change();
	*apiece[n].signal.wanted_to = *info;
	apiece[n].signal.wanted = 0;
	turn_touch(&apiece[n].signal);
	return true;
}

static void end_by(const siginfo_t *info, uintptr_t pc)
{
	ending_tell_signal(self, info, pc);
	/* At once, whoever blocks it. */
	ending_default(info->si_signo);
	effect_raise_for_all(info);
}

static void deliver(struct thread *t, const struct due *d)
{
	const siginfo_t *info = &d->info;
	struct sigaction act;

	/* From outside, while it waits for it. */
	if (give(t->number, info)) {
		turn_signal(t, info->si_signo);
		return;
	}
	switch (effect_of(info->si_signo, &act)) {
	case EFFECT_NONE:
		break;
	case EFFECT_HANDLER:
		handler_raise(t, info, &act);
		break;
	case EFFECT_END:
		end_by(info, control->threads[t->number].pc);
		break;
	case EFFECT_KERNEL:
		effect_raise_for(SYS_0(SYS_gettid), info);
		break;
	}
}

/* ---- as planned ---- */

/* A step of the plan may also stand for a signal that is pending here and will
 * be let in. */
static bool is_planned(uint32_t n, uint32_t *signal)
{
	struct sigaction act;

	if (!follow_is_strict() || !follow_peek(n, STEP_SIGNAL, signal))
		return false;
	if (apiece[n].signal.wanted & signal_bit((int)*signal))
		return true;
	return !is_blocked(n, (int)*signal) &&
	       effect_of((int)*signal, &act) == EFFECT_HANDLER;
}

bool signal_is_planned(uint32_t number)
{
	uint32_t signal;

	return is_planned(number, &signal);
}

/* What the plan has here, though nobody sent it. */
static bool planned_take(uint32_t n, struct due *taken)
{
	struct arrival a;
	uint32_t signal;

	if (!is_planned(n, &signal))
		return false;
	*taken = (struct due){ .info = { .si_signo = (int)signal,
					 .si_code = SI_USER } };
	taken->info.si_pid = (pid_t)SYS_0(SYS_getppid);
	taken->info.si_uid = (uid_t)SYS_0(SYS_getuid);
	if (arrival_take((int)signal, &a))
		taken->info = a.info;
	else if (!apiece[n].signal.wanted ||
		 !effect_take(signal_bit((int)signal), &taken->info))
		atomic_fetch_add(&owed[signal], 1);
	return true;
}

static void planned_deliver(struct thread *t)
{
	struct due d;

	while (planned_take(t->number, &d))
		deliver(t, &d);
}

/* ---- at a point ---- */

/* By kill and its like, and not by a timer or from outside. */
static bool is_own(const siginfo_t *info)
{
	return (info->si_code == SI_USER || info->si_code == SI_TKILL ||
		info->si_code == SI_QUEUE) &&
	       info->si_pid == getpid();
}

bool signal_run_due(struct thread *t)
{
	uint32_t n = t->number, before = apiece[n].signal.ran;
	bool restarts = true, own = true;
	struct due d;

	cancel_at_point(t);
	while (due_take(n, &d) || planned_take(n, &d)) {
		apiece[n].signal.restarts = true;
		deliver(t, &d);
		restarts &= apiece[n].signal.restarts;
		own &= is_own(&d.info);
	}
	apiece[n].signal.restarts = restarts;
	apiece[n].signal.is_own = own;
	return apiece[n].signal.ran != before;
}

bool signal_came_before(struct thread *t)
{
	enum { SELDOM = 4 };
	uint32_t n = t->number;

	if (!apiece[n].signal.is_own || apiece[n].signal.is_atomic ||
	    is_ordered())
		return false;
	return turn_pick(t, STEP_CHOICE, SELDOM) == 1;
}

void signal_wait_is_atomic(const struct thread *t, bool is)
{
	apiece[t->number].signal.is_atomic = is;
}

bool signal_restarts(const struct thread *t)
{
	return apiece[t->number].signal.restarts;
}

void signal_deliver_own(struct thread *t)
{
	uint32_t n = t->number;
	struct due d;

	while (due_take(n, &d))
		deliver(t, &d);
}

/* ---- sending ---- */

static bool is_alive(uint32_t n)
{
	uint8_t state = control->threads[n].state;

	return state != THREAD_UNUSED && state != THREAD_OVER;
}

static uint32_t pick(const uint32_t *among, uint32_t count)
{
	if (count < 2 || !self)
		return count ? among[0] : NO_THREAD;
	return turn_pick_thread(self, STEP_CHOICE, among, count);
}

enum { AMONG = 64 };

/* One of those who wait for the signal. */
static uint32_t pick_wanting(int signal)
{
	uint32_t among[AMONG], count = 0;

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (count < AMONG && is_alive(n) &&
		    apiece[n].signal.wanted & signal_bit(signal))
			among[count++] = n;
	return pick(among, count);
}

static uint32_t pick_open(int signal)
{
	uint32_t among[AMONG], count = 0;

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (count < AMONG && is_alive(n) && !is_blocked(n, signal))
			among[count++] = n;
	return pick(among, count);
}

static bool is_open_somewhere(int signal)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (is_alive(n) && !is_blocked(n, signal))
			return true;
	return false;
}

static void keep_for_all(const siginfo_t *info)
{
	pending_for_all |= signal_bit(info->si_signo);
	effect_raise_for_all(info);
}

void signal_send(const siginfo_t *info, uintptr_t pc)
{
	int signal = info->si_signo;
	struct sigaction act;
	enum effect effect = effect_of(signal, &act);
	uint32_t n = effect == EFFECT_KERNEL ? NO_THREAD : pick_wanting(signal);

	if (n != NO_THREAD)
		give(n, info);
	else if (effect == EFFECT_KERNEL || !is_open_somewhere(signal))
		keep_for_all(info);
	else if (effect == EFFECT_END)
		end_by(info, pc);
	else if (effect == EFFECT_HANDLER &&
		 (is_real_time(signal) || !signal_is_due(signal)))
		due_add(pick_open(signal), info, true);
}

/* A thread that was created a moment ago may not have come so far as to tell
 * its number in the kernel; it does so before it waits for its turn. */
static uint32_t kernel_tid(uint32_t n)
{
	const volatile uint32_t *tid = &region->threads[n].kernel_tid;

	while (!*tid)
		SYS_0(SYS_sched_yield);
	return *tid;
}

static void keep_for(uint32_t n, const siginfo_t *info)
{
	apiece[n].signal.pending |= signal_bit(info->si_signo);
	effect_raise_for(kernel_tid(n), info);
}

void signal_send_to(uint32_t n, const siginfo_t *info, uintptr_t pc)
{
	struct sigaction act;
	enum effect effect = effect_of(info->si_signo, &act);

	if (effect != EFFECT_KERNEL && give(n, info))
		return;
	/* What was sent before and is still due comes first. */
	if (effect == EFFECT_KERNEL ||
	    (is_blocked(n, info->si_signo) && !is_due(n, info->si_signo)))
		keep_for(n, info);
	else if (effect == EFFECT_END)
		end_by(info, pc);
	else if (effect == EFFECT_HANDLER)
		due_add(n, info, false);
}

/* ---- threads ---- */

void signal_mask_set(uint32_t number, uint64_t mask)
{
	apiece[number].signal.mask = mask;
	due_disturb(number);
}

static uint64_t mask_now(void)
{
	uint64_t mask = 0;

	SYS_4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return mask;
}

void signal_begin(const struct thread *t)
{
	signal_mask_set(t->number, mask_now());
}

uint64_t signal_mask(uint32_t number)
{
	return apiece[number].signal.mask;
}

void signal_leave(struct thread *t)
{
	uint32_t n = t->number;
	struct due *d;

	apiece[n].signal.mask = ~UINT64_C(0);
	/* It let none of these in. */
	while ((d = apiece[n].signal.first)) {
		apiece[n].signal.first = d->next;
		if (d->for_all)
			signal_send(&d->info, 0);
		d->next = due_free;
		due_free = d;
	}
}

/* ---- handlers ---- */

void signal_handler_begins(struct thread *t)
{
	apiece[t->number].signal.mask = mask_now();
	apiece[t->number].signal.ran++;
}

void signal_handler_ends(struct thread *t, uint64_t mask)
{
	signal_mask_set(t->number, mask);
}

/* ---- waiting ---- */

void signal_let_in(struct thread *t)
{
	apiece[t->number].signal.lets_in = true;
	apiece[t->number].signal.ran_before = apiece[t->number].signal.ran;
}

bool signal_let_in_end(struct thread *t)
{
	apiece[t->number].signal.lets_in = false;
	planned_deliver(t);
	return apiece[t->number].signal.ran !=
	       apiece[t->number].signal.ran_before;
}

bool signal_take_pending(uint32_t number, uint64_t set, siginfo_t *to)
{
	uint64_t known = (apiece[number].signal.pending | pending_for_all) &
			 set;

	if (effect_take(known, to))
		return true;
	apiece[number].signal.pending &= ~known;
	pending_for_all &= ~known;
	return false;
}

uint32_t signal_wanting;

const void *signal_want(uint32_t number, uint64_t set, siginfo_t *to)
{
	signal_wanting++;
	apiece[number].signal.wanted = set;
	apiece[number].signal.wanted_to = to;
	return &apiece[number].signal;
}

void signal_want_no_more(uint32_t number)
{
	signal_wanting--;
	apiece[number].signal.wanted = 0;
	apiece[number].signal.wanted_to = NULL;
}

bool signal_was_given(uint32_t number)
{
	return apiece[number].signal.wanted_to && !apiece[number].signal.wanted;
}

/* ---- what comes to those who wait ---- */

/* Signals that are blocked are taken from the kernel in the waiter's name. */
void signal_poll(void)
{
	siginfo_t info;

	if (follow_is_strict())
		return;
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (is_alive(n) && !apiece[n].signal.first &&
		    effect_take(apiece[n].signal.wanted, &info))
			due_add(n, &info, false);
}

bool signal_rescues(void)
{
	uint32_t before = turn_eligible_count;

	if (atomic_load(&signal_arrived) != signal_noticed)
		signal_notice();
	if (signal_wanting)
		signal_poll();
	return turn_eligible_count > before;
}
