/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads unpack a buffer each, with c-blosc's functions for everybody, and
 * look at what they got. Status 1 if it is not what was packed.
 */
#include <blosc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, BYTES = 2048 };

static char packed[THREADS][BYTES + BLOSC_MAX_OVERHEAD];
static char unpacked[THREADS][BYTES];
static char original[THREADS][BYTES];

static void *unpack(void *number)
{
	size_t i = (size_t)number;

	if (blosc_decompress(packed[i], unpacked[i], BYTES) != BYTES ||
	    memcmp(unpacked[i], original[i], BYTES) != 0) {
		fprintf(stderr, "buffer %zu is not what was packed\n", i);
		exit(1);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];

	blosc_init();
	for (size_t i = 0; i < THREADS; i++) {
		for (int j = 0; j < BYTES; j++)
			original[i][j] = (char)((size_t)(j / 7) + 11 * i);
		if (blosc_compress(5, BLOSC_NOSHUFFLE, 1, BYTES, original[i],
				   packed[i], sizeof(packed[i])) <= 0)
			return 2;
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, unpack, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	blosc_destroy();
	return 0;
}
