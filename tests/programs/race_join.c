/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handed over by joining, if one waits for it.
 * race: global result
 */
#include "race_turns.h"

static int result;

static void *work(void *p)
{
	be_busy();
	result = 42;
	turn_end();
	return p;
}

int main(void)
{
	pthread_t t;
	int seen;

	be_busy();
	pthread_create(&t, 0, work, 0);
	turn_wait(1);
#ifdef FIXED
	pthread_join(t, 0);
	seen = result;
#else
	seen = result;
	pthread_join(t, 0);
#endif
	return seen != 42;
}
