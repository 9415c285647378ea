/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published by an atomic flag, which must release and acquire.
 * race: global data
 */
#include "race_turns.h"

#include <stdatomic.h>

#ifdef FIXED
enum { GIVE = memory_order_release, TAKE = memory_order_acquire };
#else
enum { GIVE = memory_order_relaxed, TAKE = memory_order_relaxed };
#endif

static int data, seen;
static atomic_int flag;

static void *give(void *p)
{
	be_busy();
	data = 42;
	atomic_store_explicit(&flag, 1, GIVE);
	return p;
}

static void *take(void *p)
{
	be_busy();
	while (!atomic_load_explicit(&flag, TAKE))
		sched_yield();
	seen = data;
	return p;
}

int main(void)
{
	run_both(give, take);
	return seen != 42;
}
