/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run
 *
 * A worker waits before a gate, a mutex that it has taken itself and that main
 * unlocks for each piece of work. When main returns it waits there still.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { PIECES = 3 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static sem_t closed;
static int done;

static void *work(void *arg)
{
	pthread_mutex_lock(&gate);
	for (;;) {
		sem_post(&closed);
		pthread_mutex_lock(&gate);
		done++;
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	sem_init(&closed, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	for (int i = 0; i < PIECES; i++) {
		sem_wait(&closed);
		pthread_mutex_unlock(&gate);
	}
	sem_wait(&closed);
	assert(done == PIECES);
	return 0;
}
