/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds to a total by a function that does not lock: one of its callers does,
 * the other forgets to.
 */
#include <pthread.h>
#include <stdio.h>

#define APART __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

APART static long total_get(void)
{
	return total;
}

APART static void total_set(long value)
{
	total = value;
}

APART static void total_add(long value)
{
	total_set(total_get() + value);
}

APART static void careful(void)
{
	pthread_mutex_lock(&lock);
	total_add(1);
	pthread_mutex_unlock(&lock);
}

APART static void careless(void)
{
	total_add(100);
	/* Not the last thing it does, so that it is seen in stacks. */
	__asm__ volatile("");
}

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++)
		careful();
	careless();
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (total != 220)
		printf("%ld instead of 220\n", total);
	return total != 220;
}
