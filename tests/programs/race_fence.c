/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published by a relaxed flag between fences, or without them.
 * race: global data
 */
#include "race_turns.h"

#include <stdatomic.h>

static int data, seen;
static atomic_int flag;

static void *give(void *p)
{
	be_busy();
	data = 42;
#ifdef FIXED
	atomic_thread_fence(memory_order_release);
#endif
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return p;
}

static void *take(void *p)
{
	be_busy();
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		sched_yield();
#ifdef FIXED
	atomic_thread_fence(memory_order_acquire);
#endif
	seen = data;
	return p;
}

int main(void)
{
	run_both(give, take);
	return seen != 42;
}
