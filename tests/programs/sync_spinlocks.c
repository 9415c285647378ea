/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin locks. A busy one leaves no event.
 *
 * trace 0: spin-init spin-lock spin-unlock
 * trace 0: spin-lock:tried spin-unlock spin-destroy
 * trace 1: spin-lock spin-unlock
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;

static void *take(void *unused)
{
	assert(pthread_spin_lock(&lock) == 0);
	assert(pthread_spin_unlock(&lock) == 0);
	return unused;
}

int main(void)
{
	pthread_t thread;

	assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_spin_lock(&lock) == 0);
	assert(pthread_spin_trylock(&lock) == EBUSY);
	assert(pthread_create(&thread, NULL, take, NULL) == 0);
	assert(pthread_spin_unlock(&lock) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(pthread_spin_trylock(&lock) == 0);
	assert(pthread_spin_unlock(&lock) == 0);
	assert(pthread_spin_destroy(&lock) == 0);
	return 0;
}
