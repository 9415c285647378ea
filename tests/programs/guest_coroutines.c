/* SPDX-License-Identifier: Apache-2.0 */
/* Coroutines by swapcontext, each inside calls of its own. */
#include "guest_check.h"

#include <ucontext.h>

enum { ROUNDS = 5000, STACK = 64 * 1024, COROUTINES = 3 };

static ucontext_t home, coroutines[COROUTINES];
static char stacks[COROUTINES][STACK];
static int yielded[COROUTINES], finished;

static __attribute__((noinline)) void yield_from(int which, int depth)
{
	volatile int here = depth;

	if (depth) {
		yield_from(which, depth - 1);
		CHECK(here == depth);
		return;
	}
	yielded[which]++;
	CHECK(swapcontext(&coroutines[which], &home) == 0);
}

static void body(int which)
{
	for (int i = 0; i < ROUNDS; i++)
		yield_from(which, i % (which + 2));
	finished++;
}

int main(void)
{
	for (int i = 0; i < COROUTINES; i++) {
		CHECK(getcontext(&coroutines[i]) == 0);
		coroutines[i].uc_stack.ss_sp = stacks[i];
		coroutines[i].uc_stack.ss_size = STACK;
		coroutines[i].uc_link = &home;
		makecontext(&coroutines[i], (void (*)(void))body, 1, i);
	}
	for (int k = 0; k <= ROUNDS; k++)
		for (int i = 0; i < COROUTINES; i++)
			CHECK(swapcontext(&home, &coroutines[i]) == 0);
	CHECK(finished == COROUTINES);
	for (int i = 0; i < COROUTINES; i++)
		CHECK(yielded[i] == ROUNDS);
	return passed();
}
