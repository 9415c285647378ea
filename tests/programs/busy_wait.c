/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/*
 * A thread prepares a value, another spins until it may use it: what comes
 * before the flag is set is over when the loop ends. What comes behind is not.
 */

static atomic_int ready;
static int value, total;

static void *prepare(void *nothing)
{
	value = 1;
	value = value + 1;
	atomic_store(&ready, 1);
	total += 1;
	return nothing;
}

static void *use(void *nothing)
{
	while (!atomic_load(&ready))
		continue;
	value = value + 1;
	total += 1;
	return nothing;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, use, NULL);
	pthread_create(&second, NULL, prepare, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(value == 3);
	return 0;
}
