/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads walk linked lists in an order that caches cannot guess: each its
 * own list, and then both a third one that nobody changes. usage: list [ROUNDS]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 100000 };

struct node {
	struct node *next;
	long value;
};

static int rounds = 40;
static struct node *common;

static struct node *list_new(uint32_t state)
{
	struct node *nodes = malloc(NODES * sizeof(*nodes));
	uint32_t *order = malloc(NODES * sizeof(*order));
	struct node *first;

	if (!nodes || !order)
		abort();
	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	for (uint32_t i = NODES - 1; i; i--) {
		uint32_t k, swap = order[i];

		state = state * 1664525 + 1013904223;
		k = (state >> 8) % (i + 1);
		order[i] = order[k];
		order[k] = swap;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[order[i]].value = i;
		nodes[order[i]].next = i + 1 < NODES ? &nodes[order[i + 1]] :
						       NULL;
	}
	first = &nodes[order[0]];
	free(order);
	return first;
}

static void *walk(void *arg)
{
	struct node *own = list_new((uint32_t)(long)arg);
	long sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (struct node *n = own; n; n = n->next)
			sum += n->value++;
		for (struct node *n = common; n; n = n->next)
			sum += n->value;
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	long total = 0;

	if (argc > 1)
		rounds = atoi(argv[1]);
	common = list_new(99);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, walk, (void *)(i + 1));
	for (int i = 0; i < 2; i++) {
		void *sum;

		pthread_join(threads[i], &sum);
		total += (long)sum;
	}
	printf("%ld\n", total);
	return 0;
}
