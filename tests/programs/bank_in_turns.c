/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bank of examples/ where luck is always good: the second clerk begins when
 * the first is done, which no recorder sees. The race is there, the money too.
 */
#include "race_turns.h"

static int balance;

static void *deposit(void *amount)
{
	int mine = *(int *)amount;

	turn_wait(mine == 70);
	balance += mine;
	turn_end();
	return NULL;
}

int main(void)
{
	int amounts[2] = { 30, 70 };
	pthread_t clerk[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&clerk[i], NULL, deposit, &amounts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(clerk[i], NULL);
	return balance == 100 ? 0 : 1;
}
