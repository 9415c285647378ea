/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bug of depth 2: one thread looks between two neighbouring steps of the
 * other. Of all places for PCT's change one is right.
 *
 * expect: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;

static void *two_steps(void *arg)
{
	(void)arg;
	atomic_store(&stage, 1);
	atomic_store(&stage, 2);
	return NULL;
}

static void *looks(void *arg)
{
	(void)arg;
	assert(atomic_load(&stage) != 1);
	return NULL;
}

int main(void)
{
	pthread_t id[2];

	pthread_create(&id[0], NULL, two_steps, NULL);
	pthread_create(&id[1], NULL, looks, NULL);
	pthread_join(id[0], NULL);
	pthread_join(id[1], NULL);
	return 0;
}
