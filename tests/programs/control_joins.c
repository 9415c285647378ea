/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining under control: it waits for the end, for a while, or not at all; and
 * is refused where libc refuses it.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;
static int ended;

static void *end_when_told(void *result)
{
	assert(sem_wait(&go) == 0);
	ended = 1;
	return result;
}

static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, run, arg) == 0);
	return thread;
}

static void waiting(void)
{
	const struct timespec past = { 1, 0 }, wrong = { 0, -1 };
	struct timespec soon;
	pthread_t thread = start(end_when_told, (void *)5);
	void *result = NULL;
	int rc;

	assert(pthread_tryjoin_np(thread, &result) == EBUSY);
	assert(pthread_timedjoin_np(thread, &result, &past) == ETIMEDOUT);
	assert(pthread_timedjoin_np(thread, &result, &wrong) == EINVAL);
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_sec++;
	assert(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &soon) ==
	       ETIMEDOUT);
	assert(sem_post(&go) == 0);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	rc = pthread_timedjoin_np(thread, &result, &soon);
	assert(rc == 0 || rc == ETIMEDOUT);
	while (rc) {
		rc = pthread_tryjoin_np(thread, &result);
		assert(rc == 0 || rc == EBUSY);
	}
	assert(ended && result == (void *)5);
}

int main(void)
{
	assert(sem_init(&go, 0, 0) == 0);
	assert(pthread_join(pthread_self(), NULL) == EDEADLK);
	waiting();
	return 0;
}
