/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detached threads: from birth, by another thread, by themselves, and after
 * their end. Names of threads are used again at once, also by threads that are
 * joined.
 *
 * count: 800 thread-detach
 * count: 1600 thread-create
 * count: 400 thread-join
 */
#include "guest_check.h"

#include <pthread.h>
#include <semaphore.h>

enum { ROUNDS = 400 };

static sem_t done;
static int sum;

static void *work(void *by)
{
	sum += *(int *)by;
	free(by);
	CHECK(sem_post(&done) == 0);
	return NULL;
}

static void *work_alone(void *by)
{
	CHECK(pthread_detach(pthread_self()) == 0);
	return work(by);
}

static void *work_joined(void *by)
{
	sum += *(int *)by;
	free(by);
	return NULL;
}

static int *one(void)
{
	int *by = malloc(sizeof(*by));

	*by = 1;
	return by;
}

static void await(void)
{
	CHECK(sem_wait(&done) == 0);
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	CHECK(sem_init(&done, 0, 0) == 0);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(pthread_create(&thread, &attr, work, one()) == 0);
		await();
		CHECK(pthread_create(&thread, NULL, work_alone, one()) == 0);
		await();
		CHECK(pthread_create(&thread, NULL, work, one()) == 0);
		CHECK(pthread_detach(thread) == 0);
		await();
		CHECK(pthread_create(&thread, NULL, work_joined, one()) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	CHECK(sum == 4 * ROUNDS);
	return passed();
}
