/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block is freed while another thread has it: before the other's last use
 * here, after it in race_free_late.
 * race: heap
 */
#include "race_turns.h"

#include <stdlib.h>

#ifdef LATE
enum { USE = 1, FREE = 0 };
#else
enum { USE = 0, FREE = 1 };
#endif

static int *volatile block;
static volatile int seen;

static void *use(void *at)
{
	be_busy();
	turn_wait(USE);
	seen = *(int *)at;
	turn_end();
	return 0;
}

int main(void)
{
	pthread_t t;

	be_busy();
	block = malloc(64);
	*block = 42;
	pthread_create(&t, 0, use, block);
#ifdef FIXED
	turn_end();
	pthread_join(t, 0);
#endif
	turn_wait(FREE);
	free(block);
	turn_end();
#ifndef FIXED
	pthread_join(t, 0);
#endif
	return 0;
}
