/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bug of depth 1: of the threads that wait for the start, a certain one comes
 * last. PCT of any depth finds it in at least one run of four, the number of
 * threads; here it is one of three, for the main thread does not matter.
 *
 * expect: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void wait_for_start(void)
{
	pthread_mutex_lock(&start);
	pthread_mutex_unlock(&start);
}

static void *last(void *arg)
{
	(void)arg;
	wait_for_start();
	assert(atomic_load(&done) < 2);
	return NULL;
}

static void *other(void *arg)
{
	(void)arg;
	wait_for_start();
	atomic_fetch_add(&done, 1);
	return NULL;
}

int main(void)
{
	pthread_t id[3];

	pthread_mutex_lock(&start);
	pthread_create(&id[0], NULL, last, NULL);
	pthread_create(&id[1], NULL, other, NULL);
	pthread_create(&id[2], NULL, other, NULL);
	pthread_mutex_unlock(&start);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	return 0;
}
