/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc lets anybody unlock a plain mutex, and programs use it as a gate: main
 * takes it twice, and the worker's unlock in between is what lets main go on.
 * What another thread unlocked, main no longer holds: taking it again while the
 * next one has it is no deadlock.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int done, begun;

static void begin(void)
{
	begun++;
}

static void *work(void *arg)
{
	pthread_once(&once, begin);
	done = 1;
	pthread_mutex_unlock(&gate);
	return arg;
}

static void *pass(void *arg)
{
	pthread_once(&once, begin);
	pthread_mutex_lock(&gate);
	done++;
	pthread_mutex_unlock(&gate);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	pthread_mutex_lock(&gate);
	if (pthread_create(&first, NULL, work, NULL))
		abort();
	pthread_mutex_lock(&gate);
	if (done != 1)
		abort();
	pthread_mutex_unlock(&gate);
	pthread_mutex_lock(&gate);
	if (pthread_create(&second, NULL, pass, NULL))
		abort();
	pthread_join(first, NULL);
	pthread_mutex_unlock(&gate);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	pthread_join(second, NULL);
	return done != 2 || begun != 1;
}
