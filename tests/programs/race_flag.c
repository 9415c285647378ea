/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data handed over by a flag that is nothing but an int.
 * race: global data
 * race: global flag
 */
#include "race_turns.h"

static int data, seen;
static int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void *give(void *p)
{
	be_busy();
	data = 42;
	enter();
	flag = 1;
	leave();
	turn_end();
	return p;
}

static void *take(void *p)
{
	be_busy();
	turn_wait(1);
	enter();
	if (flag) {
		leave();
		seen = data;
	}
	return p;
}

int main(void)
{
	run_both(give, take);
	return seen != 42 || lock.__data.__lock;
}
