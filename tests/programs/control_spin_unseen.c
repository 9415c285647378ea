/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: hang, in runs in which the flag is not set first; with --blocks:
 * every run holds.
 *
 * The flag is read by an instruction that the compiler does not know, so the
 * loop has no hook of an access, and ends all the same when another thread has
 * run.
 */
#include <pthread.h>

static int flag;

static int look(const int *at)
{
	int seen;

	__asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(*at));
	return seen;
}

__attribute__((noinline)) static void wait(void)
{
	while (!look(&flag))
		;
}

static void *waiter(void *unused)
{
	wait();
	return unused;
}

static void *setter(void *unused)
{
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, setter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
