/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix product by two threads: nothing but plain accesses, to memory that is
 * read by both or written by one. usage: matrix [N]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

static int n;
static double *a, *b, *c;

static void *rows(void *arg)
{
	int which = (int)(long)arg;

	for (int i = which; i < n; i += THREADS)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double trace = 0;
	size_t cells;

	n = argc > 1 ? atoi(argv[1]) : 300;
	cells = (size_t)n * (size_t)n;
	a = malloc(cells * sizeof(*a));
	b = malloc(cells * sizeof(*b));
	c = malloc(cells * sizeof(*c));
	if (!a || !b || !c)
		return 1;
	for (size_t i = 0; i < cells; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5);
	}
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, rows, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < n; i++)
		trace += c[i * n + i];
	printf("%.0f\n", trace);
	return 0;
}
