/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/strategy.h"

/*
 * Random walk: at every point each eligible thread is as likely as any other.
 *
 * Finds: what a few switches at any of many places show; every schedule has a
 *   chance above 0.
 * Misses: long stretches without a switch. A thread with many points before
 *   the one that matters is nearly always overtaken by one with few, so orders
 *   in which it comes first get unlikely exponentially fast.
 * Wrong when: never.
 */

static struct rng *chance;

static void begin(struct rng *rng)
{
	chance = rng;
}

static uint32_t choose(uint32_t current)
{
	(void)current;
	if (turn_eligible_count == 1)
		return turn_eligible(0);
	return turn_eligible(rng_below(chance, turn_eligible_count));
}

const struct strategy strategy_random = { .begin = begin, .choose = choose };
