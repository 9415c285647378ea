/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static local is initialised once and for all; a pointer of one's own that
 * is tested and set is not.
 * race: global mine
 * race: heap
 */
#include "race_turns.h"

static int *mine;
static volatile int seen;

static int *made()
{
#ifdef FIXED
	static int *theirs = new int(42);

	return theirs;
#else
	if (!mine) {
		mine = new int;
		*mine = 42;
	}
	return mine;
#endif
}

static void *use(void *p)
{
	be_busy();
	turn_wait(1);
	take_stamp();
	seen = *made();
	return p;
}

static void *use_first(void *p)
{
	be_busy();
	made();
	turn_end();
	return p;
}

int main()
{
	run_both(use, use_first);
	return mine && *mine != 42;
}
