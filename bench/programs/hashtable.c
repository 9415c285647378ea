/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table with a lock for each stripe of buckets, used by two threads:
 * short critical sections, allocation, shared memory. usage: hashtable [OPS]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, BUCKETS = 4096, STRIPES = 64, KEYS = 20000 };

struct entry {
	uint32_t key;
	uint64_t value;
	struct entry *next;
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES];
static long operations = 400000;

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void add(uint32_t key, uint64_t value)
{
	uint32_t at = key * 2654435761U % BUCKETS;
	struct entry *e;

	pthread_mutex_lock(&stripes[at % STRIPES]);
	for (e = buckets[at]; e && e->key != key; e = e->next)
		;
	if (!e) {
		e = malloc(sizeof(*e));
		if (!e)
			abort();
		e->key = key;
		e->value = 0;
		e->next = buckets[at];
		buckets[at] = e;
	}
	e->value += value;
	pthread_mutex_unlock(&stripes[at % STRIPES]);
}

static void *work(void *arg)
{
	uint32_t state = (uint32_t)(long)arg + 1;

	for (long i = 0; i < operations; i++)
		add(next_random(&state) % KEYS, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;

	if (argc > 1)
		operations = atol(argv[1]);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripes[i], NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *e = buckets[i]; e; e = e->next)
			sum += e->value;
	printf("%lu\n", (unsigned long)sum);
	return sum != (uint64_t)operations * THREADS;
}
