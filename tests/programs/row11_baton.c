/* SPDX-License-Identifier: Apache-2.0 */
/* Row 11 of LOCON's Table 1, Wx Wy / Wx Ry: a runner writes its name and then
 * its lap; another writes its own name over it and takes the lap that it finds
 * as that of who ran before. -DFIXED does it under a lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int name = 1, lap = 100;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#else
	(void)lock;
#endif
}

static void *runner(void *arg)
{
	enter();
	atomic_store(&name, 2);
	atomic_store(&lap, 200);
	leave();
	return arg;
}

static void *taker(void *arg)
{
	int *seen = arg;

	enter();
	atomic_store(&name, 3);
	*seen = atomic_load(&lap);
	leave();
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int seen = 0, last;

	pthread_create(&a, NULL, taker, &seen);
	pthread_create(&b, NULL, runner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	last = atomic_load(&name);
	/* Whoever wrote the name last came second. */
	return last != (seen == 200 ? 3 : 2);
}
