/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Written once, long before another thread reads it once: neither access is
 * anything special when it happens.
 * race: global config
 */
#include "race_turns.h"

static int config, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *initialise(void *p)
{
	be_busy();
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	config = 42;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	be_busy();
	turn_end();
	return p;
}

static void *look(void *p)
{
	be_busy();
	turn_wait(1);
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	seen = config;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return p;
}

int main(void)
{
	run_both(initialise, look);
	return seen != 42 || lock.__data.__lock;
}
