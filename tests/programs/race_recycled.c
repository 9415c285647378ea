/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same memory as two blocks, one after the other: whoever had the first
 * must not think it had the second.
 * race: heap
 */
#include "race_turns.h"

#include <malloc.h>
#include <stdlib.h>

enum { SIZE = 4096, TRIES = 64 };

static int *block[TRIES];
static int *first;

/* The turns order these, out of sight. */
UNSEEN static void first_set(int *at)
{
	first = at;
}

UNSEEN static int first_is(const int *at)
{
	return first == at;
}

static void *have_first(void *p)
{
	int *mine;

	be_busy();
	turn_wait(1);
	mine = malloc(SIZE);
	first_set(mine);
	*mine = 1;
	free(mine);
	turn_end();
	turn_wait(3);
	take_stamp();
#ifndef FIXED
	*mine = 3;
#endif
	turn_end();
	return p;
}

static void *have_second(void *p)
{
	/* What libc needs for this thread must not take the first block. */
	void *volatile small = malloc(1);
	int i = 0;

	free(small);
	be_busy();
	turn_end();
	turn_wait(2);
	do
		block[i] = malloc(SIZE);
	while (!first_is(block[i]) && ++i < TRIES);
	if (i == TRIES)
		exit(1);
	*block[i] = 2;
	turn_end();
	turn_wait(4);
	return p;
}

int main(void)
{
	mallopt(M_ARENA_MAX, 1);
	run_both(have_first, have_second);
	for (int i = 0; i < TRIES; i++)
		free(block[i]);
	return 0;
}
