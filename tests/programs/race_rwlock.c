/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write under a lock for reading.
 * race: global counter
 */
#include "race_turns.h"

static int counter;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *count(void *p)
{
	be_busy();
#ifdef FIXED
	pthread_rwlock_wrlock(&lock);
#else
	pthread_rwlock_rdlock(&lock);
#endif
	counter++;
	pthread_rwlock_unlock(&lock);
	return p;
}

int main(void)
{
	run_both(count, count);
	return 0;
}
