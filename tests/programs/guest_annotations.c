/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that explains itself by heddle.h: of its races none is left to
 * report.
 *
 * count: 1 note-release
 * count: 1 note-acquire
 * count: 2 note-benign
 * count: 4 note-ignore
 * silent
 */
#include "guest_check.h"

#include "heddle.h"

#include <pthread.h>

static int hits, also, handed, ignored;
static volatile int flag;

void AnnotateBenignRaceSized(const char *, int, const volatile void *, size_t,
			     const char *);

static void *give(void *arg)
{
	handed = 42;
	heddle_release(&flag);
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	hits++;
	also++;
	heddle_ignore_begin();
	heddle_ignore_begin();
	ignored++;
	heddle_ignore_end();
	ignored++;
	heddle_ignore_end();
	heddle_point();
	return arg;
}

int main(void)
{
	pthread_t thread;

	heddle_benign(&hits, sizeof(hits));
#ifdef __SANITIZE_THREAD__
	AnnotateBenignRaceSized(__FILE__, __LINE__, &also, sizeof(also), "");
#else
	heddle_benign(&also, sizeof(also));
#endif
	heddle_ready();
	CHECK(pthread_create(&thread, NULL, give, NULL) == 0);
	while (!__atomic_load_n(&flag, __ATOMIC_RELAXED))
		heddle_point();
	heddle_acquire(&flag);
	CHECK(handed == 42);
	handed++;
	hits++;
	also++;
	heddle_ignore_begin();
	ignored++;
	heddle_ignore_end();
	CHECK(pthread_join(thread, NULL) == 0);
	return passed();
}
