/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that are cancelled, under control: each ends, the mutex of a condition
 * is held in the cleanup handler, what was waited for is not lost to others.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool ready;
static int served, cleaned;
static sem_t sem;

static void let_go(void *unused)
{
	(void)unused;
	cleaned++;
	assert(pthread_mutex_unlock(&mutex) == 0);
}

static void *wait_for_it(void *unused)
{
	assert(pthread_mutex_lock(&mutex) == 0);
	pthread_cleanup_push(let_go, NULL);
	while (!ready)
		assert(pthread_cond_wait(&cond, &mutex) == 0);
	served++;
	pthread_cleanup_pop(1);
	return unused;
}

static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, run, arg) == 0);
	return thread;
}

/* One is cancelled, one signal is sent: whoever is left gets it, or was served
 * before it was cancelled. */
static void condition(void)
{
	pthread_t one = start(wait_for_it, NULL);
	pthread_t two = start(wait_for_it, NULL);
	void *result;

	assert(pthread_cancel(one) == 0);
	assert(pthread_mutex_lock(&mutex) == 0);
	ready = true;
	assert(pthread_cond_signal(&cond) == 0);
	assert(pthread_mutex_unlock(&mutex) == 0);
	assert(pthread_join(one, &result) == 0);
	if (result != PTHREAD_CANCELED) {
		assert(pthread_mutex_lock(&mutex) == 0);
		assert(pthread_cond_signal(&cond) == 0);
		assert(pthread_mutex_unlock(&mutex) == 0);
	}
	assert(pthread_join(two, NULL) == 0);
	assert(cleaned == 2);
	assert(served == (result == PTHREAD_CANCELED ? 1 : 2));
}

static void *wait_for_sem(void *unused)
{
	assert(sem_wait(&sem) == 0);
	return unused;
}

static void semaphore(void)
{
	pthread_t one = start(wait_for_sem, NULL);
	pthread_t two = start(wait_for_sem, NULL);
	void *result;
	int value;

	assert(pthread_cancel(one) == 0);
	assert(sem_post(&sem) == 0);
	assert(pthread_join(one, &result) == 0);
	if (result != PTHREAD_CANCELED)
		assert(sem_post(&sem) == 0);
	assert(pthread_join(two, NULL) == 0);
	assert(sem_getvalue(&sem, &value) == 0 && value == 0);
}

static pthread_t target;

static void *join_target(void *unused)
{
	assert(pthread_join(target, NULL) == 0);
	return unused;
}

static void joining(void)
{
	pthread_t joiner;
	void *result;

	target = start(wait_for_sem, NULL);
	joiner = start(join_target, NULL);
	assert(pthread_cancel(joiner) == 0);
	assert(pthread_join(joiner, &result) == 0);
	assert(result == PTHREAD_CANCELED);
	assert(sem_post(&sem) == 0);
	assert(pthread_join(target, NULL) == 0);
}

int main(void)
{
	assert(sem_init(&sem, 0, 0) == 0);
	condition();
	semaphore();
	joining();
	return 0;
}
