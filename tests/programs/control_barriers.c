/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers under control: nobody leaves a round before all have come, one of
 * them is the serial one, and rounds follow each other at once.
 * expect: held
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3, ROUNDS = 3 };

static pthread_barrier_t barrier;
static atomic_int came[ROUNDS], serial[ROUNDS];

static void *go_round(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		int rc;

		atomic_fetch_add(&came[i], 1);
		rc = pthread_barrier_wait(&barrier);
		assert(atomic_load(&came[i]) == THREADS);
		assert(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
		if (rc)
			assert(atomic_fetch_add(&serial[i], 1) == 0);
	}
	return unused;
}

static void *meet(void *unused)
{
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	assert(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, go_round, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	for (int i = 0; i < ROUNDS; i++)
		assert(atomic_load(&serial[i]) == 1);
	assert(pthread_barrier_destroy(&barrier) == 0);

	/* Another one in its place, which the last to arrive destroys. */
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	assert(pthread_create(&threads[0], NULL, meet, NULL) == 0);
	pthread_barrier_wait(&barrier);
	assert(pthread_barrier_destroy(&barrier) == 0);
	assert(pthread_join(threads[0], NULL) == 0);
	assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
	assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
	assert(pthread_barrier_destroy(&barrier) == 0);
	return 0;
}
