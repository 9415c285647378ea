/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two readers that want to write, each without letting go of what it has.
 * expect: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entries;

static void *look_and_add(void *unused)
{
	int seen;

	pthread_rwlock_rdlock(&lock);
	seen = entries;
#ifdef FIXED
	pthread_rwlock_unlock(&lock);
#endif
	if (seen < 2) {
		pthread_rwlock_wrlock(&lock);
		entries++;
		pthread_rwlock_unlock(&lock);
	}
#ifndef FIXED
	pthread_rwlock_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look_and_add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
