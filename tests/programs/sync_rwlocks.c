/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-write locks: every way to take one, taken and refused.
 *
 * reading, five ways, then refused to write, three ways:
 * trace 0: rwlock-init rwlock-rdlock
 * trace 0: rwlock-rdlock:tried rwlock-rdlock rwlock-rdlock
 * trace 0: rwlock-rdlock rwlock-fail:EBUSY rwlock-fail:ETIMEDOUT
 * trace 0: rwlock-fail:ETIMEDOUT rwlock-unlock rwlock-unlock rwlock-unlock
 * trace 0: rwlock-unlock rwlock-unlock
 * writing, five ways:
 * trace 0: rwlock-wrlock rwlock-unlock rwlock-wrlock:tried rwlock-unlock
 * trace 0: rwlock-wrlock rwlock-unlock rwlock-wrlock rwlock-unlock
 * trace 0: rwlock-wrlock rwlock-unlock
 * the writer may neither read nor write:
 * trace 0: rwlock-wrlock rwlock-fail:EDEADLK rwlock-fail:EDEADLK rwlock-unlock
 * another thread reads what is read, and is refused what is written:
 * trace 0: rwlock-rdlock rwlock-unlock rwlock-wrlock rwlock-unlock
 * trace 0: rwlock-destroy
 * trace 1: rwlock-rdlock rwlock-unlock
 * trace 2: rwlock-fail:EBUSY rwlock-fail:ETIMEDOUT rwlock-fail:ETIMEDOUT
 * a static one:
 * trace 0: rwlock-wrlock rwlock-unlock
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static const struct timespec past = { .tv_sec = 1 };
static pthread_rwlock_t lock;

static void in_thread(void *(*run)(void *))
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, run, NULL) == 0);
	assert(pthread_join(thread, NULL) == 0);
}

static void unlock(int times)
{
	while (times-- > 0)
		assert(pthread_rwlock_unlock(&lock) == 0);
}

static void reading(void)
{
	assert(pthread_rwlock_rdlock(&lock) == 0);
	assert(pthread_rwlock_tryrdlock(&lock) == 0);
	assert(pthread_rwlock_timedrdlock(&lock, &past) == 0);
	assert(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &past) == 0);
	assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == 0);
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	assert(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) ==
	       ETIMEDOUT);
	unlock(5);
}

static void writing(void)
{
	assert(pthread_rwlock_wrlock(&lock) == 0);
	unlock(1);
	assert(pthread_rwlock_trywrlock(&lock) == 0);
	unlock(1);
	assert(pthread_rwlock_timedwrlock(&lock, &past) == 0);
	unlock(1);
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &past) == 0);
	unlock(1);
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == 0);
	unlock(1);
	assert(pthread_rwlock_wrlock(&lock) == 0);
	assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
	assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
	unlock(1);
}

static void *read_too(void *unused)
{
	assert(pthread_rwlock_rdlock(&lock) == 0);
	unlock(1);
	return unused;
}

static void *be_refused(void *unused)
{
	assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
	assert(pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT);
	assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) ==
	       ETIMEDOUT);
	return unused;
}

int main(void)
{
	static pthread_rwlock_t fixed = PTHREAD_RWLOCK_INITIALIZER;

	assert(pthread_rwlock_init(&lock, NULL) == 0);
	reading();
	writing();
	assert(pthread_rwlock_rdlock(&lock) == 0);
	in_thread(read_too);
	unlock(1);
	assert(pthread_rwlock_wrlock(&lock) == 0);
	in_thread(be_refused);
	unlock(1);
	assert(pthread_rwlock_destroy(&lock) == 0);
	assert(pthread_rwlock_wrlock(&fixed) == 0);
	assert(pthread_rwlock_unlock(&fixed) == 0);
	return 0;
}
