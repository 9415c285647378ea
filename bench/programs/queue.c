/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Producer and consumer on a bounded queue with condition variables; each item
 * is a block of 256 numbers that the producer fills and the consumer sums.
 * usage: queue [ITEMS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 64, NUMBERS = 256 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	int *items[ROOM];
	int head, count;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .filled = PTHREAD_COND_INITIALIZER,
	    .emptied = PTHREAD_COND_INITIALIZER };

static long items = 60000;

static void put(int *item)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == ROOM)
		pthread_cond_wait(&queue.emptied, &queue.lock);
	queue.items[(queue.head + queue.count++) % ROOM] = item;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}

static int *get(void)
{
	int *item;

	pthread_mutex_lock(&queue.lock);
	while (!queue.count)
		pthread_cond_wait(&queue.filled, &queue.lock);
	item = queue.items[queue.head];
	queue.head = (queue.head + 1) % ROOM;
	queue.count--;
	pthread_cond_signal(&queue.emptied);
	pthread_mutex_unlock(&queue.lock);
	return item;
}

static void *produce(void *arg)
{
	(void)arg;
	for (long i = 0; i < items; i++) {
		int *item = malloc(NUMBERS * sizeof(*item));

		if (!item)
			abort();
		for (int k = 0; k < NUMBERS; k++)
			item[k] = (int)(i + k) % 100;
		put(item);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t producer;
	long sum = 0;

	if (argc > 1)
		items = atol(argv[1]);
	pthread_create(&producer, NULL, produce, NULL);
	for (long i = 0; i < items; i++) {
		int *item = get();

		for (int k = 0; k < NUMBERS; k++)
			sum += item[k];
		free(item);
	}
	pthread_join(producer, NULL);
	printf("%ld\n", sum);
	return 0;
}
