/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads read; then somebody writes who waited for one of them only.
 * race: global table
 */
#include "race_turns.h"

enum { READERS = 12 };

static int table = 42;
static int seen[READERS];

static void *look(void *at)
{
	int *place = (int *)at;

	be_busy();
	turn_wait((int)(place - seen));
	*place = table;
	turn_end();
	return 0;
}

int main(void)
{
	pthread_t t[READERS];

	be_busy();
	for (int i = 0; i < READERS; i++)
		pthread_create(&t[i], 0, look, &seen[i]);
	turn_wait(READERS);
#ifdef FIXED
	for (int i = 0; i < READERS; i++)
		pthread_join(t[i], 0);
	table = 43;
#else
	for (int i = 1; i < READERS; i++)
		pthread_join(t[i], 0);
	table = 43;
	pthread_join(t[0], 0);
#endif
	return seen[0] != 42;
}
