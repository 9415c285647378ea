/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/strategy.h"

/*
 * Round robin: at every point the eligible thread with the next higher number,
 * then from the lowest again.
 *
 * Finds: what happens when threads advance in step.
 * Misses: nearly everything else; there is one schedule only.
 * Wrong when: never.
 */

static void begin(struct rng *rng)
{
	(void)rng;
}

static uint32_t choose(uint32_t current)
{
	uint32_t lowest = UINT32_MAX, next = UINT32_MAX;

	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);

		if (n < lowest)
			lowest = n;
		if (n > current && n < next)
			next = n;
	}
	return next != UINT32_MAX ? next : lowest;
}

const struct strategy strategy_round = { .begin = begin, .choose = choose };
