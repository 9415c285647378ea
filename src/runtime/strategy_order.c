/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signal_control.h"
#include "runtime/spin.h"
#include "runtime/strategy.h"

/*
 * Order: the tool says which thread makes the first event, the second, and so
 * on (format/traced.h). Behind the end of its list each thread runs until it
 * cannot, or spins; then the lowest number comes next.
 *
 * The end of the process comes last. Whatever happens before it happens also
 * when it comes later, and more; so nothing is lost but threads cut off, and
 * those are cut off nowhere else. It does not wait for who spins or sleeps, nor
 * for ever (turn.c).
 *
 * The turn asks at points; a line of the trace is written when a thread has
 * gone on from one. So the number of lines tells how far the list is done.
 *
 * Finds: what the tool has worked out.
 * Misses: everything else.
 * Wrong when: threads do something else than they did when the tool worked it
 * out; the run then ends as diverged where a thread that is named cannot go
 * on, and the tool compares the lines in any case.
 */

static uint64_t options; /* who could go on at the last decision */

/* Threads that are not to go on for now, and how many lines they have seen. */
static struct traced asleep[TRACED_SLEEPERS];
static uint32_t asleep_count, asleep_seen;

static void begin(struct rng *rng)
{
	const struct traced_area *a = &region->traced;

	(void)rng;
	options = 1;
	asleep_count = a->sleep_count;
	asleep_seen = a->order_count ? a->order_count - 1 : 0;
	for (uint32_t i = 0; i < asleep_count; i++)
		asleep[i] = a->sleep[i];
}

static void wake_up(uint32_t thread)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < asleep_count; i++)
		if (asleep[i].thread != thread)
			asleep[kept++] = asleep[i];
	asleep_count = kept;
}

/* Whom does that wake? NO_THREAD: nobody, or nobody else. */
static uint32_t woken_by(const struct traced *e)
{
	for (uint32_t i = 0; i < asleep_count; i++)
		if (e->thread == asleep[i].thread ||
		    traced_conflicts(e, &asleep[i]))
			return asleep[i].thread;
	return NO_THREAD;
}

/* Whoever stands before something that conflicts with what happened wakes. */
static void sleep_look(void)
{
	const struct traced_area *a = &region->traced;
	uint32_t who;

	for (; asleep_count && asleep_seen < a->count; asleep_seen++)
		while ((who = woken_by(&a->entries[asleep_seen])) != NO_THREAD)
			wake_up(who);
}

static bool is_asleep(uint32_t n)
{
	for (uint32_t i = 0; i < asleep_count; i++)
		if (asleep[i].thread == n)
			return true;
	return false;
}

/* ---- the end of the process ---- */

static bool is_last(uint32_t n)
{
	return turn_is_ready(n) && control->threads[n].kind == EVENT_THREAD_END;
}

static bool gets_somewhere(uint32_t n)
{
	return !is_last(n) && !spin_is_proven(n);
}

/* Does the thread stand before the end of the process, and are there others
 * that do something yet? */
static bool must_wait(uint32_t n)
{
	if (!is_last(n))
		return false;
	for (uint32_t i = 0; i < turn_eligible_count; i++)
		if (gets_somewhere(turn_eligible(i)))
			return true;
	return false;
}

/* ---- who can go on ---- */

static bool can_run(uint32_t n)
{
	uint8_t state;

	if (n >= control->run.thread_count || must_wait(n))
		return false;
	state = control->threads[n].state;
	return state == THREAD_READY || state == THREAD_ASLEEP;
}

/* The one whose time comes first, when nobody can go on without. */
static uint32_t first_sleeper(void)
{
	uint32_t first = NO_THREAD;

	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		const struct control_thread *c = &control->threads[n];

		if (c->state == THREAD_ASLEEP &&
		    (first == NO_THREAD ||
		     c->deadline < control->threads[first].deadline))
			first = n;
	}
	return first;
}

/* The next eligible one behind `than`, in a ring; `than` itself last. */
static uint32_t next_behind(uint32_t than)
{
	uint32_t best = NO_THREAD, best_way = UINT32_MAX;

	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);
		uint32_t way = n > than ? n - than : n + CONTROL_THREADS - than;

		if (n == than)
			way = UINT32_MAX - 1;
		if (way < best_way && !must_wait(n)) {
			best_way = way;
			best = n;
		}
	}
	return best;
}

static uint32_t lowest(bool even_asleep)
{
	uint32_t low = NO_THREAD;

	for (uint32_t i = 0; i < turn_eligible_count; i++)
		if (turn_eligible(i) < low && !must_wait(turn_eligible(i)) &&
		    (even_asleep || !is_asleep(turn_eligible(i))))
			low = turn_eligible(i);
	return low;
}

static uint32_t by_default(uint32_t current, bool yields)
{
	uint32_t n;

	sleep_look();
	if (!yields && turn_is_ready(current) && !is_asleep(current) &&
	    !must_wait(current))
		return current;
	n = yields ? next_behind(current) : lowest(false);
	if (n == NO_THREAD)
		n = lowest(true);
	if (n == NO_THREAD)
		n = first_sleeper();
	if (n == NO_THREAD && signal_rescues())
		return by_default(current, yields);
	if (n == NO_THREAD)
		control_fail(self, OUTCOME_DEADLOCK, NULL,
			     control->threads[current].pc);
	return n;
}

static uint64_t who_can(uint32_t current, bool yields)
{
	uint64_t set = 0, me = UINT64_C(1) << (current & 63);

	for (uint32_t n = 0;
	     n < control->run.thread_count && n < TRACED_THREADS; n++)
		if (can_run(n))
			set |= UINT64_C(1) << n;
	return yields && set & ~me && spin_is_proven(current) ? set & ~me : set;
}

static uint32_t decide(uint32_t current, bool yields)
{
	const struct traced_area *a = &region->traced;

	options = who_can(current, yields);
	if (a->count >= a->order_count)
		return by_default(current, yields);
	if (!can_run(a->order[a->count].thread))
		follow_diverge(current, "the thread whose event is next cannot "
					"go on");
	return a->order[a->count].thread;
}

static uint32_t choose(uint32_t current)
{
	return decide(current, false);
}

static uint32_t yield(uint32_t current)
{
	return decide(current, true);
}

uint64_t order_options(uint32_t thread)
{
	uint64_t set = options;

	/* Where nobody was asked there was no choice. */
	options = UINT64_C(1) << (thread & 63);
	return set;
}

uint32_t order_pick(const uint32_t *among, uint32_t n)
{
	const struct traced_area *a = &region->traced;
	uint32_t wanted;

	if (!a->count || a->count > a->order_count)
		return among[0];
	wanted = a->order[a->count - 1].pick;
	for (uint32_t i = 0; i < n; i++)
		if (among[i] == wanted)
			return wanted;
	return among[0];
}

const struct strategy strategy_order = { .begin = begin,
					 .choose = choose,
					 .yield = yield };
