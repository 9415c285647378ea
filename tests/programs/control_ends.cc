/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * Ends of threads: destructors of thread-local objects and of keys have shared
 * accesses and locks; threads are detached, end while they hold a lock that is
 * robust, and pthread_t is not given twice while its thread can be asked for.
 */
#include "guest_check.h"

#include <atomic>
#include <cerrno>
#include <pthread.h>
#include <thread>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int objects, keys;
static std::atomic<int> detached;
static pthread_key_t key;
static pthread_mutex_t robust;

struct local {
	int value = 0;
	~local()
	{
		pthread_mutex_lock(&mutex);
		objects += value;
		pthread_mutex_unlock(&mutex);
	}
};

static thread_local local object;

static void key_ends(void *round)
{
	pthread_mutex_lock(&mutex);
	keys++;
	pthread_mutex_unlock(&mutex);
	if (round != (void *)2)
		pthread_setspecific(key, (char *)round + 1);
}

static void *run(void *unused)
{
	(void)unused;
	object.value = 1;
	pthread_setspecific(key, (void *)1);
	return nullptr;
}

static void *run_apart(void *unused)
{
	run(unused);
	detached++;
	return nullptr;
}

static void *keep_lock(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&robust);
	return nullptr;
}

static void start_apart()
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, run_apart, nullptr);
	pthread_attr_destroy(&attr);
	pthread_create(&thread, nullptr, run_apart, nullptr);
	pthread_detach(thread);
}

int main()
{
	pthread_mutexattr_t attr;
	pthread_t threads[3], holder;

	pthread_key_create(&key, key_ends);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	for (pthread_t &t : threads)
		pthread_create(&t, nullptr, run, nullptr);
	start_apart();
	pthread_create(&holder, nullptr, keep_lock, nullptr);
	for (pthread_t &t : threads)
		pthread_join(t, nullptr);
	pthread_mutex_lock(&mutex);
	CHECK(objects >= 3 && objects <= 5);
	CHECK(keys >= 6 && keys <= 10);
	pthread_mutex_unlock(&mutex);
	pthread_join(holder, nullptr);
	CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
	while (detached < 2)
		usleep(100);
	pthread_exit(nullptr);
}
