/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker takes a mutex that it holds. Nobody waits for the worker, so the
 * program ends, and the worker never gets on.
 * expect: deadlock
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	sum++;
	pthread_mutex_lock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	return 0;
}
