/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run.
 *
 * Waiting by spinning, in many ways, for somebody who will come; and reading
 * one location very often, which is no waiting at all.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag, turn_of, lock;
static volatile int plain, shared_n = 20000;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int guarded;
static long sum;

static void *spin_atomic(void *unused)
{
	(void)unused;
	while (!atomic_load(&flag))
		;
	return NULL;
}

static void *spin_plain(void *unused)
{
	(void)unused;
	while (!plain)
		sched_yield();
	return NULL;
}

static void *spin_counting(void *unused)
{
	long attempts = 0;

	(void)unused;
	while (!atomic_load(&flag))
		attempts++;
	sum += attempts < 0;
	return NULL;
}

static void *spin_lock(void *unused)
{
	(void)unused;
	while (atomic_exchange(&lock, 1))
		;
	atomic_store(&lock, 0);
	return NULL;
}

static void *spin_try(void *unused)
{
	int done = 0;

	(void)unused;
	while (!done) {
		while (pthread_mutex_trylock(&mutex))
			;
		done = guarded;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *spin_random(void *unused)
{
	(void)unused;
	/* What it waits for is in libc, where no hook is. */
	while (rand() % 997)
		(void)atomic_load(&turn_of);
	return NULL;
}

static void *read_often(void *unused)
{
	long local = 0;

	(void)unused;
	for (int i = 0; i < shared_n; i++)
		local += i;
	assert(local == 20000L * 19999 / 2);
	return NULL;
}

static void *writer(void *unused)
{
	(void)unused;
	usleep(100);
	atomic_store(&flag, 1);
	plain = 1;
	atomic_store(&lock, 0);
	pthread_mutex_lock(&mutex);
	guarded = 1;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	static void *(*const all[])(void *) = {
		spin_atomic, spin_plain,  spin_counting, spin_lock,
		spin_try,    spin_random, read_often,	 writer,
	};
	pthread_t t[sizeof(all) / sizeof(*all)];

	atomic_store(&lock, 1);
	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		pthread_join(t[i], NULL);
	return 0;
}
