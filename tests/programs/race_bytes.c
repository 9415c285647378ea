/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads and eight bytes, but never the same byte: no race.
 */
#include "race_turns.h"

static _Alignas(8) char bytes[8];

static void *even(void *p)
{
	be_busy();
	for (int i = 0; i < 8; i += 2)
		bytes[i]++;
	return p;
}

static void *odd(void *p)
{
	be_busy();
	for (int i = 1; i < 8; i += 2)
		bytes[i]++;
	return p;
}

int main(void)
{
	run_both(even, odd);
	return 0;
}
