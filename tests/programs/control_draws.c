/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a random number from the processor, with an argument. */
#include <immintrin.h>
#include <pthread.h>
#include <stddef.h>

static unsigned int drawn;

__attribute__((target("rdrnd"))) static void draw(void)
{
	unsigned int number;

	if (_rdrand32_step(&number))
		drawn = number;
}

static void *work(void *arg)
{
	if (arg)
		draw();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, argc > 1 ? argv[1] : NULL);
	pthread_join(thread, NULL);
	return 0;
}
