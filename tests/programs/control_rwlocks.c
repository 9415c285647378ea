/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-write locks under control: readers together, writers alone; who has it
 * for writing is told of its deadlock; readers wait behind a writer that waits
 * where that is asked for, and only there.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static pthread_rwlock_t lock;
static atomic_int readers, writers;
static sem_t step;

static void *read_it(void *unused)
{
	for (int i = 0; i < 3; i++) {
		assert(pthread_rwlock_rdlock(&lock) == 0);
		atomic_fetch_add(&readers, 1);
		assert(!atomic_load(&writers));
		atomic_fetch_sub(&readers, 1);
		assert(pthread_rwlock_unlock(&lock) == 0);
	}
	return unused;
}

static void *write_it(void *unused)
{
	for (int i = 0; i < 3; i++) {
		assert(pthread_rwlock_wrlock(&lock) == 0);
		assert(atomic_fetch_add(&writers, 1) == 0);
		assert(!atomic_load(&readers));
		atomic_fetch_sub(&writers, 1);
		assert(pthread_rwlock_unlock(&lock) == 0);
	}
	return unused;
}

static void exclusive(int kind)
{
	void *(*const run[])(void *) = { read_it, read_it, write_it, write_it };
	pthread_rwlockattr_t attr;
	pthread_t threads[4];

	assert(pthread_rwlockattr_init(&attr) == 0);
	assert(pthread_rwlockattr_setkind_np(&attr, kind) == 0);
	assert(pthread_rwlock_init(&lock, &attr) == 0);
	for (int i = 0; i < 4; i++)
		assert(pthread_create(&threads[i], NULL, run[i], NULL) == 0);
	for (int i = 0; i < 4; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(pthread_rwlock_destroy(&lock) == 0);
}

static void *try_to_write(void *result)
{
	struct timespec at;

	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	assert(sem_post(&step) == 0);
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += 1;
	*(int *)result =
		pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &at);
	if (*(int *)result == 0)
		assert(pthread_rwlock_unlock(&lock) == 0);
	return NULL;
}

/* While a writer waits a second reader may come in, or waits until that one
 * has given up; nobody waits for ever. */
static void preference(int kind)
{
	pthread_rwlockattr_t attr;
	struct timespec at;
	pthread_t thread;
	int result, rc;

	assert(pthread_rwlockattr_init(&attr) == 0);
	assert(pthread_rwlockattr_setkind_np(&attr, kind) == 0);
	assert(pthread_rwlock_init(&lock, &attr) == 0);
	assert(sem_init(&step, 0, 0) == 0);
	assert(pthread_rwlock_rdlock(&lock) == 0);
	assert(pthread_create(&thread, NULL, try_to_write, &result) == 0);
	assert(sem_wait(&step) == 0);
	rc = pthread_rwlock_tryrdlock(&lock);
	if (kind == PTHREAD_RWLOCK_PREFER_READER_NP)
		assert(rc == 0);
	else
		assert(rc == 0 || rc == EBUSY);
	if (rc == 0)
		assert(pthread_rwlock_unlock(&lock) == 0);
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 100;
	assert(pthread_rwlock_timedrdlock(&lock, &at) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(result == 0 || result == ETIMEDOUT);
	assert(pthread_rwlock_destroy(&lock) == 0);
}

static void refused(void)
{
	const struct timespec past = { 1, 0 }, wrong = { 0, 1000000000 };

	assert(pthread_rwlock_init(&lock, NULL) == 0);
	assert(pthread_rwlock_wrlock(&lock) == 0);
	assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
	assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
	assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	assert(pthread_rwlock_timedrdlock(&lock, &wrong) == EINVAL);
	assert(pthread_rwlock_clockwrlock(&lock, CLOCK_TAI, &past) == EINVAL);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_rdlock(&lock) == 0);
	assert(pthread_rwlock_rdlock(&lock) == 0);
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	assert(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_destroy(&lock) == 0);
}

int main(void)
{
	exclusive(PTHREAD_RWLOCK_PREFER_READER_NP);
	exclusive(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	preference(PTHREAD_RWLOCK_PREFER_READER_NP);
	preference(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	refused();
	return 0;
}
