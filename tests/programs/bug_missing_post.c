/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On the way out of an error nobody gives the place back.
 * expect: deadlock
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t room;
static atomic_int inside;

static void *enter(void *unused)
{
	sem_wait(&room);
	if (atomic_fetch_add(&inside, 1) > 0) {
		/* Somebody is there already: come again another day. */
		atomic_fetch_sub(&inside, 1);
#ifdef FIXED
		sem_post(&room);
#endif
		return unused;
	}
	atomic_fetch_sub(&inside, 1);
	sem_post(&room);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	sem_init(&room, 0, 2);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, enter, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	sem_wait(&room);
	sem_wait(&room);
	return 0;
}
