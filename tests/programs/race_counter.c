/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter that nothing protects.
 * race: global counter
 */
#include "race_turns.h"

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *p)
{
	be_busy();
	for (int i = 0; i < 100; i++) {
#ifdef FIXED
		pthread_mutex_lock(&lock);
#endif
		counter++;
#ifdef FIXED
		pthread_mutex_unlock(&lock);
#endif
	}
	return p;
}

int main(void)
{
	run_both(count, count);
	return lock.__data.__lock;
}
