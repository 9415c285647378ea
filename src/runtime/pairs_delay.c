/* SPDX-License-Identifier: Apache-2.0 */
#include "format/rng.h"
#include "runtime/pairs.h"
#include "runtime/sys.h"

#include <time.h>

/*
 * Random delays, to see more of the orders a program allows: now and then a
 * thread waits some microseconds before an access (the *Random* runs of the
 * paper). Which accesses they are follows from the seed and the thread's own
 * count; what comes of it is up to the machine.
 */

enum { ONE_IN = 64 };

void pairs_delay(struct thread *t)
{
	const struct pair_block *b = &region->pairs;
	uint64_t chance = rng_mix(
		b->seed ^ rng_mix((uint64_t)t->number << 32 | t->pair_count));
	struct timespec wait = { 0 };

	if (chance % ONE_IN || !b->delay_us)
		return;
	wait.tv_nsec = (long)(chance >> 32) % (b->delay_us * 1000L);
	SYS_2(SYS_nanosleep, &wait, NULL);
}
