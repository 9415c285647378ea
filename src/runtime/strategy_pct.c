/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/strategy.h"

/*
 * PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with
 * Probabilistic Guarantees of Finding Bugs, ASPLOS 2010). Every thread is born
 * with a random priority, and the eligible thread of the highest runs. At
 * depth - 1 steps, drawn among the `length` a run has, the thread that is about
 * to make that step falls below all of them, the first of these steps to the
 * lowest place.
 *
 * Guarantee: with n threads and k steps (no more than `length`) a bug that
 *   needs d ordered pairs of events is found with probability at least
 *   1 / (n k^(d-1)), in every run anew.
 * Finds: bugs of small depth, however long the threads are.
 * Misses: bugs that need more changes than depth - 1. At depth 1 threads run
 *   one after the other.
 * Wrong when: `length` is far from the number of points: changes behind the end
 *   do nothing, and none fall behind `length`.
 *
 * Our changes: a thread that yields, or is found spinning, falls below all
 * others for good, so that the one it waits for can run. Only schedules in
 * which somebody spins are less likely by that. So does one that has gone on
 * for a good part of the points that a run may have, while others could have:
 * it may never end, and they would end the run.
 */

enum { CHANGES = 64, PATIENT = 8 };

/* Priorities at birth lie above, those of changes from here upwards, those of
 * threads that yielded below. */
#define LOW (UINT64_C(1) << 32)

static struct rng *chance;
static struct {
	uint64_t at; /* the number of the point */
	uint64_t rank;
} changes[CHANGES];
static uint32_t change_count;
static uint64_t floor_rank;

/* Who goes on, and since which point others could have. */
static uint32_t runner;
static uint64_t runner_since;

static void begin(struct rng *rng)
{
	uint64_t length = control->ask.length ? control->ask.length : 1;
	uint32_t depth = control->ask.depth ? control->ask.depth : 1;

	chance = rng;
	floor_rank = LOW;
	runner = NO_THREAD;
	change_count = depth - 1 < CHANGES ? depth - 1 : CHANGES;
	for (uint32_t i = 0; i < change_count; i++) {
		changes[i].at = 1 + rng_below64(chance, length);
		changes[i].rank = LOW + i;
	}
}

/* No rank is 0 but that of a thread that has just been born. */
static void stands(uint32_t number)
{
	struct control_thread *c = &control->threads[number];

	if (!c->rank) {
		c->rank = rng_next(chance) | UINT64_C(1) << 63;
		return;
	}
	for (uint32_t i = 0; i < change_count; i++)
		if (changes[i].at == control->run.points - control->run.origin)
			c->rank = changes[i].rank;
}

static uint32_t highest(void)
{
	uint32_t best = turn_eligible(0);

	for (uint32_t i = 1; i < turn_eligible_count; i++)
		if (control->threads[turn_eligible(i)].rank >
		    control->threads[best].rank)
			best = turn_eligible(i);
	return best;
}

static bool is_endless(uint32_t best)
{
	if (best != runner || turn_eligible_count == 1) {
		runner = best;
		runner_since = control->run.points;
	}
	return control->run.points - runner_since >
	       control->ask.points_most / PATIENT;
}

static uint32_t choose(uint32_t current)
{
	uint32_t best = highest();

	(void)current;
	if (likely(!is_endless(best)))
		return best;
	control->threads[best].rank = --floor_rank;
	return highest();
}

static uint32_t yield(uint32_t current)
{
	control->threads[current].rank = --floor_rank;
	return choose(current);
}

const struct strategy strategy_pct = {
	.begin = begin, .stands = stands, .choose = choose, .yield = yield
};
