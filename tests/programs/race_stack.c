/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable on a stack, lent to another thread by its address.
 * race: stack
 */
#include "race_turns.h"

static void *fill(void *at)
{
	be_busy();
	*(int *)at = 42;
	turn_end();
	return 0;
}

int main(void)
{
	pthread_t t;
	volatile int lent = 0;
	int seen;

	be_busy();
	pthread_create(&t, 0, fill, (void *)&lent);
	turn_wait(1);
#ifdef FIXED
	pthread_join(t, 0);
	seen = lent;
#else
	seen = lent;
	pthread_join(t, 0);
#endif
	return seen != 42;
}
