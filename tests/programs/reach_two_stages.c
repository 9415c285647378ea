/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check in two stages, each under its own lock, by one thread; all others set
 * in two stages what it checks. It must come between the first of them to end
 * stage one and the first to begin stage two.
 *
 *	reach_two_stages [threads]
 *
 * expect: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 100 };

static pthread_mutex_t lock_one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_two = PTHREAD_MUTEX_INITIALIZER;
static int one, two;

static void *set(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock_one);
	one = 1;
	pthread_mutex_unlock(&lock_one);
	pthread_mutex_lock(&lock_two);
	two = one + 1;
	pthread_mutex_unlock(&lock_two);
	return NULL;
}

static void *check(void *arg)
{
	int first, second;

	(void)arg;
	pthread_mutex_lock(&lock_one);
	first = one;
	pthread_mutex_unlock(&lock_one);
	if (!first)
		return NULL;
	pthread_mutex_lock(&lock_two);
	second = two;
	pthread_mutex_unlock(&lock_two);
	assert(second == first + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 20;
	pthread_t id[MOST];

	if (threads < 2 || threads > MOST)
		return 2;
	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, i < threads - 1 ? set : check,
			       NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
