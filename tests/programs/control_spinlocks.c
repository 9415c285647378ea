/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin locks under control: one at a time, and waiting for one costs no
 * spinning.
 * expect: held
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int count, failed;

static void *add(void *unused)
{
	for (int i = 0; i < 4; i++) {
		assert(pthread_spin_lock(&lock) == 0);
		count++;
		assert(pthread_spin_unlock(&lock) == 0);
	}
	return unused;
}

static void *try_to_add(void *unused)
{
	for (int i = 0; i < 4; i++) {
		int rc = pthread_spin_trylock(&lock);

		if (rc) {
			assert(rc == EBUSY);
			failed++;
			continue;
		}
		count++;
		assert(pthread_spin_unlock(&lock) == 0);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_create(&threads[0], NULL, add, NULL) == 0);
	assert(pthread_create(&threads[1], NULL, add, NULL) == 0);
	assert(pthread_create(&threads[2], NULL, try_to_add, NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(count + failed == 12);
	assert(pthread_spin_destroy(&lock) == 0);
	return 0;
}
