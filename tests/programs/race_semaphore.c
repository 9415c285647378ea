/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A semaphore that lets two in where one was meant.
 * race: global counter
 */
#include "race_turns.h"

#include <semaphore.h>

static int counter;
static sem_t places;

static void count(int my_turn)
{
	be_busy();
#ifndef FIXED
	turn_wait(my_turn);
#endif
	sem_wait(&places);
	counter++;
#ifndef FIXED
	turn_end();
	turn_wait(2);
#endif
	sem_post(&places);
}

static void *first(void *p)
{
	count(0);
	return p;
}

static void *second(void *p)
{
	count(1);
	return p;
}

int main(void)
{
#ifdef FIXED
	sem_init(&places, 0, 1);
#else
	sem_init(&places, 0, 2);
#endif
	run_both(first, second);
	return counter != 2;
}
