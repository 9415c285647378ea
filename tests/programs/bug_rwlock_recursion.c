/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader reads again while a writer waits, and the lock prefers writers: all
 * wait for each other.
 * expect: deadlock
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;

static void *read_twice(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *write_it(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_rwlockattr_t attr;
	pthread_t threads[2];

	pthread_rwlockattr_init(&attr);
#ifndef FIXED
	pthread_rwlockattr_setkind_np(
		&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
	pthread_rwlock_init(&lock, &attr);
	pthread_create(&threads[0], NULL, read_twice, NULL);
	pthread_create(&threads[1], NULL, write_it, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
