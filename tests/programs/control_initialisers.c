/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialisers under control: run once, by whoever comes first; all others wait
 * until it is done; one that is cancelled leaves the work to the next.
 * expect: held
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

enum { THREADS = 3 };

static pthread_once_t once = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int runs, inner_runs, flag_runs;
static int half;

static void initialise_inner(void)
{
	inner_runs++;
}

static void initialise(void)
{
	half = 1;
	pthread_once(&inner, initialise_inner);
	sched_yield();
	half = 2;
	runs++;
}

static void initialise_flag(void)
{
	flag_runs++;
}

static void *use(void *unused)
{
	assert(pthread_once(&once, initialise) == 0);
	assert(runs == 1 && half == 2 && inner_runs == 1);
	call_once(&flag, initialise_flag);
	assert(flag_runs == 1);
	return unused;
}

static pthread_once_t broken = PTHREAD_ONCE_INIT;
static bool cancelled_once;
static int finished;

static void give_up(void)
{
	if (!cancelled_once) {
		cancelled_once = true;
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	finished++;
}

static void *try_it(void *unused)
{
	assert(pthread_once(&broken, give_up) == 0);
	assert(finished == 1);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	int cancelled = 0;

	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, use, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, try_it, NULL) == 0);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		assert(pthread_join(threads[i], &result) == 0);
		cancelled += result == PTHREAD_CANCELED;
	}
	assert(cancelled == 1 && finished == 1);
	return 0;
}
