/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/strategy.h"

/*
 * POS, partial order sampling (Yuan, Yang, Gu: Partial Order Aware Concurrency
 * Sampling, CAV 2018). The event that each thread stands before has a random
 * priority of its own, drawn when the thread comes there, and the eligible
 * thread of the highest goes on. What is done then takes the priorities of all
 * events away that it conflicts with: they are drawn anew.
 *
 * Guarantee: every order of conflicting events has a chance above 0, and one
 *   that exceeds random walk's exponentially in the number of events: orders
 *   that differ in independent events only are not sampled one by one.
 * Finds: bugs in which an event must wait for many others. Random walk would
 *   have to pass it over at each of their points, POS draws once.
 * Misses: long threads that must finish before a short one: each of their
 *   events is drawn, and has to win.
 * Wrong when: never. Accesses are taken by the 8 bytes in which they begin, so
 *   a conflict in the later bytes of a wide access is passed over and only
 *   makes the sampling less even.
 */

static struct rng *chance;

static void begin(struct rng *rng)
{
	chance = rng;
}

static void stands(uint32_t number)
{
	control->threads[number].rank = rng_next(chance);
}

static bool is_conflict(const struct control_thread *a,
			const struct control_thread *b)
{
	return a->object >> 3 == b->object >> 3 && a->object >= 4096 &&
	       (turn_changes(a->kind) || turn_changes(b->kind));
}

/* `next` goes on. Those that are not eligible were in no race with it. */
static uint32_t done(uint32_t next)
{
	const struct control_thread *c = &control->threads[next];

	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t other = turn_eligible(i);

		if (other != next && is_conflict(c, &control->threads[other]))
			stands(other);
	}
	return next;
}

static uint32_t highest(uint32_t but)
{
	uint32_t best = NO_THREAD;

	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);

		if (n != but &&
		    (best == NO_THREAD ||
		     control->threads[n].rank > control->threads[best].rank))
			best = n;
	}
	return best;
}

static uint32_t choose(uint32_t current)
{
	(void)current;
	return done(highest(NO_THREAD));
}

static uint32_t yield(uint32_t current)
{
	return done(highest(current));
}

const struct strategy strategy_pos = {
	.begin = begin, .stands = stands, .choose = choose, .yield = yield
};
