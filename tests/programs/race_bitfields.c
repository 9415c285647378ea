/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neighbours in one byte are one memory location.
 * race: global flags.left
 */
#include "race_turns.h"

static struct {
#ifdef FIXED
	unsigned char left, right;
#else
	unsigned char left : 4, right : 4;
#endif
} flags;

static void *set_left(void *p)
{
	be_busy();
	flags.left = 1;
	return p;
}

static void *set_right(void *p)
{
	be_busy();
	flags.right = 1;
	return p;
}

int main(void)
{
	run_both(set_left, set_right);
	return flags.left + flags.right == 0;
}
