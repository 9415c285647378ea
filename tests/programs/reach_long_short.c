/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long thread and a short one on the same object, and a bug when the short
 * one comes last. Random walk tosses a coin at each of the long one's events;
 * SURW draws the place of the short one's event once.
 *
 * expect: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LONG = 30 };

static atomic_int count;

static void *long_one(void *arg)
{
	(void)arg;
	for (int i = 0; i < LONG; i++)
		atomic_fetch_add(&count, 1);
	return NULL;
}

static void *short_one(void *arg)
{
	(void)arg;
	assert(atomic_load(&count) < LONG);
	return NULL;
}

int main(void)
{
	pthread_t id[2];

	pthread_create(&id[0], NULL, short_one, NULL);
	pthread_create(&id[1], NULL, long_one, NULL);
	pthread_join(id[0], NULL);
	pthread_join(id[1], NULL);
	return 0;
}
