/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads, two variables and a lock that protects only some of the
 * accesses: the error needs six switches in the right places.
 *
 * bug:      RV-CAUSAL Figure 2, the motivating program
 * kind:     atomicity violation, two variables, deep
 * threads:  main and 3
 * failure:  assertion: the error is reached
 * accesses: x=1 between x=0 and the look at x; y=2 before y++
 * natively: rare, all threads are through before the next begins
 * twins:    -DFIXED looks at x in the same critical section that sets it
 * sizes:    rounds of each thread, rounds of work before each
 */
#include <assert.h>

#include "subject.h"

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;
static volatile int y;
static int rounds;
static int effort;

static void setter_step(void)
{
	pthread_mutex_lock(&lock);
	x = 1;
	y = 1;
	pthread_mutex_unlock(&lock);
}

static void counter_step(void)
{
	pthread_mutex_lock(&lock);
	x = 0;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	if (x > 0) {
		y++;
		x = 2;
	}
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void checker_step(void)
{
	if (x > 1) {
		assert(y != 3);
		y = 2;
	}
}

static void *thread_run(void *arg)
{
	void (*step)(void) = *(void (**)(void))arg;

	for (int i = 0; i < rounds; i++) {
		subject_work((unsigned)i, (unsigned)effort);
		step();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	void (*steps[THREADS])(void) = { setter_step, counter_step,
					 checker_step };
	pthread_t threads[THREADS];

	rounds = subject_size(argc, argv, 1, 2);
	effort = subject_size(argc, argv, 2, 500);
	for (int i = 0; i < THREADS; i++)
		subject_start(&threads[i], thread_run, &steps[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("x %d, y %d\n", x, y);
	return 0;
}
