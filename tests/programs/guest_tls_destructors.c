/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destructors of thread-specific data run after the thread's function, several
 * rounds of them, and lock, allocate and access as before. All that belongs to
 * the thread and is recorded before its end.
 *
 * count: 2 thread-end
 * count: 6 mutex-lock
 */
#include "guest_check.h"

#include <pthread.h>

enum { ROUNDS = 3, THREADS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int total;

struct data {
	int rounds;
};

static void destroy(void *at)
{
	struct data *old = at;

	pthread_mutex_lock(&mutex);
	total++;
	pthread_mutex_unlock(&mutex);
	if (++old->rounds < ROUNDS) {
		struct data *new = malloc(sizeof(*new));

		new->rounds = old->rounds;
		pthread_setspecific(key, new);
	}
	free(old);
}

static void *work(void *unused)
{
	pthread_setspecific(key, calloc(1, sizeof(struct data)));
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	CHECK(pthread_key_create(&key, destroy) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(total == ROUNDS * THREADS);
	return passed();
}
