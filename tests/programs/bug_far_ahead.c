/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader that must not find the writer done, and has begun before it. It takes
 * a reader held up between its two accesses to the ticket, until the writer is
 * through with a long list: a moment for threads that run freely, and far too
 * many points for one that waits under control.
 */
#include <pthread.h>
#include <stdlib.h>

enum { SHORT = 40, LONG = 40000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int ticket;

static void walk(int far)
{
	for (int i = 0; i < far; i++) {
		pthread_mutex_lock(&list);
		pthread_mutex_unlock(&list);
	}
}

static void *reader(void *nothing)
{
	for (int i = 0; i < SHORT; i++) {
		walk(1);
		ticket++;
	}
	pthread_mutex_lock(&lock);
	if (done)
		abort();
	pthread_mutex_unlock(&lock);
	return nothing;
}

static void *writer(void *nothing)
{
	walk(LONG);
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_mutex_unlock(&lock);
	ticket = 0;
	return nothing;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
