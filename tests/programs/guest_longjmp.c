/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumps out of deep calls, many times, in several threads: the calls left
 * behind are over. Whoever forgets that runs out of room or names the wrong
 * functions.
 */
#include "guest_check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

enum { JUMPS = 20000, DEPTH = 50, THREADS = 3 };

static __attribute__((noinline)) int dive(jmp_buf home, int depth)
{
	volatile int here = depth;

	if (!depth)
		longjmp(home, 42);
	return dive(home, depth - 1) + here;
}

static void *jump(void *unused)
{
	for (volatile int i = 0; i < JUMPS; i++) {
		jmp_buf home;
		int got = setjmp(home);

		if (!got)
			dive(home, DEPTH);
		CHECK(got == 42);
	}
	return unused;
}

static sigjmp_buf out;

static void handle(int signal)
{
	siglongjmp(out, signal);
}

static void jump_out_of_handlers(void)
{
	struct sigaction act = { .sa_handler = handle };

	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	for (volatile int i = 0; i < JUMPS; i++) {
		int got = sigsetjmp(out, 1);

		if (!got)
			raise(SIGUSR1);
		CHECK(got == SIGUSR1);
	}
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, jump, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	jump_out_of_handlers();
	return passed();
}
