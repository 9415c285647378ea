/* SPDX-License-Identifier: Apache-2.0 */
/* Row 7 of LOCON's Table 1, W R W: a gauge is set to zero and then to its new
 * value; who reads it meanwhile divides by zero. -DFIXED sets it once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static struct {
	char name[8];
	_Atomic unsigned width;
} gauge = { "width", 80 };

static void gauge_set(unsigned width)
{
#ifndef FIXED
	atomic_store(&gauge.width, 0);
#endif
	atomic_store(&gauge.width, width);
}

static void *resizer(void *arg)
{
	gauge_set(100);
	gauge_set(120);
	return arg;
}

static void *drawer(void *arg)
{
	unsigned *columns = arg;

	for (int i = 0; i < 2; i++) {
		unsigned width = atomic_load(&gauge.width);

		assert(width > 0);
		*columns += 1200 / width;
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;
	unsigned one = 0, two = 0;

	pthread_create(&a, NULL, drawer, &one);
	pthread_create(&b, NULL, resizer, NULL);
	pthread_create(&c, NULL, drawer, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return one + two == 0;
}
