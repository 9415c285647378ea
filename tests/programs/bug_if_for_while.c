/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "if" where "while" belongs: of two consumers that were woken the second finds
 * nothing.
 * expect: assertion
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
	pthread_mutex_lock(&mutex);
#ifdef FIXED
	while (!items)
#else
	if (!items)
#endif
		pthread_cond_wait(&cond, &mutex);
	assert(items > 0);
	items--;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void produce(void)
{
	pthread_mutex_lock(&mutex);
	items++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, consume, NULL);
	for (int i = 0; i < 2; i++)
		produce();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
