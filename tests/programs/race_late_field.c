/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two fields in eight bytes. One thread writes them, each in its own critical
 * section; the other reads the one that was written first.
 * race: global pair.first
 */
#include "race_turns.h"

/* Not static: clang would make two variables of it. */
struct {
	_Alignas(8) int first;
	int second;
} pair;
static int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *p)
{
	be_busy();
	pthread_mutex_lock(&lock);
	pair.first = 42;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	pair.second = 43;
	pthread_mutex_unlock(&lock);
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
	seen = pair.first;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return p;
}

int main(void)
{
	run_both(fill, look);
	return seen != 42;
}
