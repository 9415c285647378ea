/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parallel bubble sort: every thread makes passes through the array and
 * exchanges neighbours that stand in the wrong order. Main makes passes until
 * there is nothing left to exchange, and expects to find 1 to n.
 *
 * bug:      RV-CAUSAL Table 1, BubbleSort
 * kind:     atomicity violation, two variables
 * threads:  main and 2 sorters
 * failure:  assertion: a number is missing, another is there twice
 * accesses: read of a[i] and a[i+1], write of one of them by another, write of
 *           a[i] and a[i+1]
 * natively: rare for few numbers, since passes hardly overlap
 * twins:    -DFIXED compares and exchanges under a lock
 * sizes:    numbers, passes of each sorter, numbers at the end that are out of
 *           order
 */
#include <assert.h>

#include "subject.h"

#define SORTERS 2

struct sorter {
	int number;
	unsigned swaps;
};

static volatile int *array;
static pthread_mutex_t array_lock = PTHREAD_MUTEX_INITIALIZER;
static int length;
static int passes;

static unsigned neighbours_order(int i)
{
	unsigned swapped = 0;
	int left, right;

#ifdef FIXED
	pthread_mutex_lock(&array_lock);
#else
	(void)array_lock;
#endif
	left = array[i];
	right = array[i + 1];
	if (left > right) {
		array[i] = right;
		array[i + 1] = left;
		swapped = 1;
	}
#ifdef FIXED
	pthread_mutex_unlock(&array_lock);
#endif
	return swapped;
}

static unsigned bubble(int end)
{
	unsigned swaps = 0;

	for (int i = 0; i + 1 < end; i++)
		swaps += neighbours_order(i);
	return swaps;
}

static void *sorter_run(void *arg)
{
	struct sorter *own = arg;

	for (int i = 0; i < passes; i++) {
		subject_work((unsigned)(own->number + i), 20000);
		own->swaps += bubble(length);
	}
	return NULL;
}

/* The first ones are in order; the others are backwards, but for their halves,
 * which are exchanged. */
static void array_fill(int unordered)
{
	int ordered = length - unordered;

	for (int i = 0; i < ordered; i++)
		array[i] = i + 1;
	for (int i = 0; i < unordered; i++)
		array[ordered + i] =
			ordered + (unordered - i + unordered / 2) % unordered +
			1;
}

int main(int argc, char **argv)
{
	struct sorter sorters[SORTERS] = { 0 };
	pthread_t threads[SORTERS];
	unsigned rest = 0, swaps;
	int unordered;

	length = subject_size(argc, argv, 1, 5);
	passes = subject_size(argc, argv, 2, 1);
	unordered = subject_size(argc, argv, 3, length);
	if (unordered > length)
		return 2;
	array = calloc((size_t)length, sizeof(*array));
	if (!array)
		return 2;
	array_fill(unordered);
	for (int i = 0; i < SORTERS; i++) {
		sorters[i].number = i;
		subject_start(&threads[i], sorter_run, &sorters[i]);
	}
	for (int i = 0; i < SORTERS; i++)
		pthread_join(threads[i], NULL);
	do {
		swaps = bubble(length);
		rest += swaps;
	} while (swaps);
	for (int i = 0; i < length; i++)
		assert(array[i] == i + 1);
	printf("%d numbers, %u exchanges\n", length,
	       sorters[0].swaps + sorters[1].swaps + rest);
	free((void *)array);
	return 0;
}
