/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run.
 *
 * Clocks under control: they begin at a known time, never go backwards, agree
 * with each other, and advance by what was slept, at once. Who polls a clock
 * gets there.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t which)
{
	struct timespec t;

	assert(clock_gettime(which, &t) == 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void clocks_agree(void)
{
	int64_t wall = clock_ns(CLOCK_REALTIME);
	struct timeval tv;
	struct timespec ts;

	assert(time(NULL) - wall / 1000000000 <= 1);
	assert(gettimeofday(&tv, NULL) == 0);
	assert(tv.tv_sec - wall / 1000000000 <= 1);
	assert(timespec_get(&ts, TIME_UTC) == TIME_UTC);
	assert(ts.tv_sec - wall / 1000000000 <= 1);
}

static void sleep_lasts(void)
{
	struct timespec day = { .tv_sec = 86400 }, until;
	int64_t before = clock_ns(CLOCK_MONOTONIC), now;

	assert(nanosleep(&day, NULL) == 0);
	now = clock_ns(CLOCK_MONOTONIC);
	assert(now - before >= INT64_C(86400) * 1000000000);
	assert(now - before < INT64_C(86401) * 1000000000);
	assert(sleep(3600) == 0 && usleep(999999) == 0);
	assert(thrd_sleep(&day, NULL) == 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) ==
	       0);
	assert(time(NULL) >= until.tv_sec);
	/* The past is over at once. */
	until.tv_sec -= 10000;
	assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) ==
	       0);
}

static void errors_stay(void)
{
	struct timespec wrong = { .tv_nsec = -1 }, t;

	errno = 0;
	assert(nanosleep(&wrong, NULL) == -1 && errno == EINVAL);
	assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL) == EINVAL);
	errno = 0;
	assert(clock_gettime(99, &t) == -1 && errno == EINVAL);
}

static void processor_time(void)
{
	struct rusage used;
	struct tms tms;
	clock_t before = clock();
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	clockid_t mine;

	assert(before >= 0 && clock() >= before);
	assert(times(&tms) != (clock_t)-1);
	assert(getrusage(RUSAGE_SELF, &used) == 0 && used.ru_nivcsw == 0);
	assert(clock_ns(CLOCK_THREAD_CPUTIME_ID) >= cpu);
	assert(pthread_getcpuclockid(pthread_self(), &mine) == 0);
	assert(clock_ns(mine) >= cpu);
}

/* Ten minutes of polling, by one clock each. */
static void *poll_clock(void *which)
{
	clockid_t id = *(clockid_t *)which;
	int64_t end = clock_ns(id) + INT64_C(600) * 1000000000;
	int rounds = 0;

	while (clock_ns(id) < end)
		rounds++;
	assert(rounds < 100000);
	return NULL;
}

int main(void)
{
	static clockid_t wall = CLOCK_REALTIME, steady = CLOCK_MONOTONIC;
	int64_t before = clock_ns(CLOCK_MONOTONIC);
	pthread_t a, b;

	assert(time(NULL) == 1767225600);
	assert(before / 1000000000 == 1000);
	clocks_agree();
	/* Reading it a few times takes no time to speak of. */
	assert(clock_ns(CLOCK_MONOTONIC) - before < 1000000);
	sleep_lasts();
	errors_stay();
	processor_time();
	pthread_create(&a, NULL, poll_clock, &wall);
	pthread_create(&b, NULL, poll_clock, &steady);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(clock_ns(CLOCK_MONOTONIC) > before);
	return 0;
}
