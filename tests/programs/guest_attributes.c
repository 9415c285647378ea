/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a new thread inherits or is given: signal mask, stack, detachment,
 * floating-point state; creations that fail; all ways to join.
 *
 * with: -lm
 */
#include "guest_check.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { STACK = 256 * 1024 };

static const struct timespec past = { .tv_sec = 1 };
static char *stack;
static atomic_int go;

static sigset_t mask_with(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static void *has_mask(void *wanted)
{
	sigset_t now;

	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	for (int i = 1; i < 32; i++)
		CHECK(sigismember(&now, i) == sigismember(wanted, i));
	return wanted;
}

static void run(const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
	pthread_t thread;
	void *result;

	CHECK(pthread_create(&thread, attr, routine, arg) == 0);
	CHECK(pthread_join(thread, &result) == 0 && result == arg);
}

static void masks(void)
{
	sigset_t none, set = mask_with(SIGUSR1), other = mask_with(SIGUSR2);
	pthread_attr_t attr;

	sigemptyset(&none);
	run(NULL, has_mask, &none);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	run(NULL, has_mask, &set);
	has_mask(&set);
	pthread_attr_init(&attr);
	CHECK(pthread_attr_setsigmask_np(&attr, &other) == 0);
	run(&attr, has_mask, &other);
	CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
	pthread_attr_destroy(&attr);
}

static void *on_stack(void *arg)
{
	char here;

	CHECK(&here > stack && &here < stack + STACK);
	return arg;
}

static void *rounds_up(void *arg)
{
	CHECK(fegetround() == FE_UPWARD);
	return arg;
}

static void stacks(void)
{
	pthread_attr_t attr;

	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	pthread_attr_init(&attr);
	CHECK(pthread_attr_setstack(&attr, stack, STACK) == 0);
	for (int i = 0; i < 3; i++)
		run(&attr, on_stack, NULL);
	CHECK(munmap(stack, STACK) == 0);
	fesetround(FE_UPWARD);
	run(NULL, rounds_up, NULL);
	fesetround(FE_TONEAREST);
}

static void *never(void *arg)
{
	CHECK(!"run");
	return arg;
}

static void failures(void)
{
	struct sched_param priority = { .sched_priority = 1000 };
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	CHECK(pthread_attr_setstacksize(&attr, (size_t)1 << 46) == 0);
	for (int i = 0; i < 10; i++)
		CHECK(pthread_create(&thread, &attr, never, NULL) == EAGAIN);
	(void)priority;
	CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
}

static void *wait_for_go(void *arg)
{
	while (!go)
		;
	return arg;
}

static void joins(void)
{
	pthread_t thread;
	void *result = NULL;
	int rc;

	CHECK(pthread_create(&thread, NULL, wait_for_go, &go) == 0);
	CHECK(pthread_tryjoin_np(thread, &result) == EBUSY);
	CHECK(pthread_timedjoin_np(thread, &result, &past) == ETIMEDOUT);
	CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past) ==
	      ETIMEDOUT);
	go = 1;
	do
		rc = pthread_tryjoin_np(thread, &result);
	while (rc == EBUSY);
	CHECK(rc == 0 && result == &go);
	CHECK(pthread_create(&thread, NULL, wait_for_go, NULL) == 0);
	CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, NULL) ==
	      0);
	CHECK(!result);
}

int main(void)
{
	masks();
	stacks();
	failures();
	joins();
	return passed();
}
