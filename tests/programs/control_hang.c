/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: hang, in runs in which the flag is not set first: a loop without
 * points, in the function `wait`.
 *
 * The compiler may read the flag once, before the loop, since nothing in the
 * loop could change it.
 */
#include <pthread.h>

static int flag;

__attribute__((noinline)) static void wait(void)
{
	while (!flag)
		;
}

static void *waiter(void *unused)
{
	wait();
	return unused;
}

static void *setter(void *unused)
{
	flag = 1;
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
