/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads are cancelled while they wait for a condition, for a thread and for
 * input, and while they compute. Cleanup handlers and destructors run, and
 * whoever joins learns of it.
 *
 * count: 4 thread-cancel
 * count: 5 thread-end
 */
#include "guest_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int pipe_ends[2], cleaned, destroyed;
static atomic_int ready;
static volatile long steps;

static void clean(void *locked)
{
	if (!locked)
		pthread_mutex_lock(&mutex);
	cleaned++;
	pthread_mutex_unlock(&mutex);
}

static void destroy(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	destroyed++;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_condition(void *unused)
{
	pthread_setspecific(key, &key);
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, &mutex);
	ready = 1;
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

static void *wait_for_input(void *unused)
{
	char byte;

	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean, NULL);
	ready = 1;
	(void)!read(pipe_ends[0], &byte, 1);
	pthread_cleanup_pop(0);
	return unused;
}

static void *wait_for_thread(void *other)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean, NULL);
	ready = 1;
	pthread_join(*(pthread_t *)other, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *compute(void *unused)
{
	int old;

	pthread_setspecific(key, &key);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	CHECK(old == PTHREAD_CANCEL_DEFERRED);
	ready = 1;
	for (;;)
		steps++;
	return unused;
}

static void cancel(pthread_t thread)
{
	void *result;

	CHECK(pthread_cancel(thread) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED);
}

static pthread_t start(void *(*routine)(void *), void *arg)
{
	pthread_t thread;

	ready = 0;
	CHECK(pthread_create(&thread, NULL, routine, arg) == 0);
	while (!ready)
		;
	return thread;
}

static void *wait_for_end(void *unused)
{
	char byte;

	ready = 1;
	CHECK(read(pipe_ends[0], &byte, 1) == 1);
	return unused;
}

int main(void)
{
	pthread_t other;

	CHECK(pipe(pipe_ends) == 0);
	CHECK(pthread_key_create(&key, destroy) == 0);
	cancel(start(wait_for_condition, NULL));
	cancel(start(wait_for_input, NULL));
	other = start(wait_for_end, NULL);
	cancel(start(wait_for_thread, &other));
	CHECK(write(pipe_ends[1], "x", 1) == 1);
	CHECK(pthread_join(other, NULL) == 0);
	CHECK(cleaned == 3 && destroyed == 3);
	cancel(start(compute, NULL));
	CHECK(destroyed == 4 && steps > 0);
	return passed();
}
