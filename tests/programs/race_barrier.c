/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phases: what was written in the first may be read in the second.
 * race: global half
 */
#include "race_turns.h"

static int half[2], seen;
static pthread_barrier_t phase;

static void *write_half(void *p)
{
	be_busy();
	half[0] = 42;
	turn_end();
	pthread_barrier_wait(&phase);
	return p;
}

static void *read_half(void *p)
{
	be_busy();
	turn_wait(1);
#ifdef FIXED
	pthread_barrier_wait(&phase);
	seen = half[0];
#else
	seen = half[0];
	pthread_barrier_wait(&phase);
#endif
	return p;
}

int main(void)
{
	pthread_barrier_init(&phase, 0, 2);
	run_both(write_half, read_half);
	return seen != 42;
}
