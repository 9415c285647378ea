/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block moves while another thread reads it.
 * race: heap
 */
#include "race_turns.h"

#include <stdlib.h>

static int *block;
static volatile int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *p)
{
	int *mine;

	be_busy();
	pthread_mutex_lock(&lock);
	mine = block;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	seen = mine[1];
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	turn_end();
	return p;
}

static void *grow(void *p)
{
	be_busy();
	turn_wait(1);
	pthread_mutex_lock(&lock);
	block = realloc(block, 1 << 20);
	pthread_mutex_unlock(&lock);
	return p;
}

int main(void)
{
	block = malloc(64);
	block[1] = 42;
	run_both(look, grow);
	free(block);
	return seen != 42;
}
