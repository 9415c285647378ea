/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A barrier of three threads, passed three times; one of the three is the
 * serial thread in each round ("?" is either).
 *
 * trace 0: barrier-init:3 barrier-enter barrier-leave:? barrier-enter
 * trace 0: barrier-leave:? barrier-enter barrier-leave:? barrier-destroy
 * trace 1: barrier-enter barrier-leave:? barrier-enter barrier-leave:?
 * trace 1: barrier-enter barrier-leave:?
 * trace 2: barrier-enter barrier-leave:? barrier-enter barrier-leave:?
 * trace 2: barrier-enter barrier-leave:?
 * count: 3 barrier-leave:1
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3, ROUNDS = 3 };

static pthread_barrier_t barrier;
static atomic_int serial, arrived[ROUNDS];

static void *meet(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		int rc;

		atomic_fetch_add(&arrived[i], 1);
		rc = pthread_barrier_wait(&barrier);
		assert(atomic_load(&arrived[i]) == THREADS);
		if (rc == PTHREAD_BARRIER_SERIAL_THREAD)
			atomic_fetch_add(&serial, 1);
		else
			assert(rc == 0);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS - 1];

	assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
	assert(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
	for (int i = 0; i < THREADS - 1; i++)
		assert(pthread_create(&threads[i], NULL, meet, NULL) == 0);
	meet(NULL);
	for (int i = 0; i < THREADS - 1; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(pthread_barrier_destroy(&barrier) == 0);
	assert(serial == ROUNDS);
	return 0;
}
