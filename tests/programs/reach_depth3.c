/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bug of depth 3: two threads must take turns, each in the one gap that the
 * other has. PCT needs both its changes in the right place, in the right order.
 *
 * expect: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;

/* Goes from one stage to the next, if it finds the first. */
static void move(int from, int to)
{
	atomic_compare_exchange_strong(&stage, &from, to);
}

static void *odd(void *arg)
{
	(void)arg;
	move(0, 1);
	move(2, 3);
	return NULL;
}

static void *even(void *arg)
{
	(void)arg;
	move(1, 2);
	assert(atomic_load(&stage) != 3);
	return NULL;
}

int main(void)
{
	pthread_t id[2];

	pthread_create(&id[0], NULL, odd, NULL);
	pthread_create(&id[1], NULL, even, NULL);
	pthread_join(id[0], NULL);
	pthread_join(id[1], NULL);
	return 0;
}
