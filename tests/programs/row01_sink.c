/* SPDX-License-Identifier: Apache-2.0 */
/* Row 1 of LOCON's Table 1, order W-R: the log is closed while writers of a
 * pool still have lines to write. -DFIXED waits for them first. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WRITERS 3

struct sink {
	_Atomic int is_open;
	_Atomic int lines;
};

static struct sink *sink;

static void line_put(int number)
{
	assert(atomic_load(&sink->is_open));
	atomic_fetch_add(&sink->lines, number > 0);
}

static void *writer(void *arg)
{
	line_put(*(int *)arg);
	return NULL;
}

int main(void)
{
	pthread_t threads[WRITERS];
	int numbers[WRITERS];

	sink = calloc(1, sizeof(*sink));
	atomic_store(&sink->is_open, 1);
	for (int i = 0; i < WRITERS; i++) {
		numbers[i] = i + 1;
		pthread_create(&threads[i], NULL, writer, &numbers[i]);
	}
#ifdef FIXED
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&sink->is_open, 0);
#else
	/* Two are waited for, the last is thought to be the quickest. */
	for (int i = 0; i < WRITERS - 1; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&sink->is_open, 0);
	pthread_join(threads[WRITERS - 1], NULL);
#endif
	printf("%d\n", atomic_load(&sink->lines));
	free(sink);
	return 0;
}
