/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handed over by a queue with a lock; the giver must not touch it afterwards.
 * race: heap
 */
#include "race_turns.h"

#include <stdlib.h>

static int *queue, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *give(void *p)
{
	int *item = malloc(sizeof(*item));

	be_busy();
	*item = 42;
	pthread_mutex_lock(&lock);
	queue = item;
	pthread_mutex_unlock(&lock);
#ifndef FIXED
	*item = 42;
#endif
	turn_end();
	return p;
}

static void *take(void *p)
{
	int *item;

	be_busy();
	turn_wait(1);
	pthread_mutex_lock(&lock);
	item = queue;
	pthread_mutex_unlock(&lock);
	seen = *item;
	return p;
}

int main(void)
{
	run_both(give, take);
	free(queue);
	return seen != 42;
}
