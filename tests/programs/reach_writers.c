/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many writers before one reader: the reader is created first and must come
 * last. Random walk has to pass it over at every event of every writer; POS
 * draws its priority about once.
 *
 * expect: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { WRITERS = 8, WORK = 8 };

static atomic_int own[WRITERS], written[WRITERS];

static void *writer(void *arg)
{
	ptrdiff_t i = (atomic_int *)arg - own;

	for (int n = 0; n < WORK; n++)
		atomic_fetch_add(&own[i], 1);
	atomic_store(&written[i], 1);
	return NULL;
}

static void *reader(void *arg)
{
	int i = 0;

	(void)arg;
	while (i < WRITERS && atomic_load(&written[i]))
		i++;
	assert(i < WRITERS);
	return NULL;
}

int main(void)
{
	pthread_t id[WRITERS + 1];

	pthread_create(&id[WRITERS], NULL, reader, NULL);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&id[i], NULL, writer, &own[i]);
	for (int i = 0; i <= WRITERS; i++)
		pthread_join(id[i], NULL);
	return 0;
}
