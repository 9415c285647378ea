/* SPDX-License-Identifier: Apache-2.0 */
/* Row 8 of LOCON's Table 1, Rx Wy / Wx Ry: a worker sees no work and marks
 * itself asleep; who brings work looks afterwards whether somebody sleeps.
 * -DFIXED does both under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int work, asleep, woken;

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

static void *worker(void *arg)
{
	enter();
	if (!atomic_load(&work))
		atomic_store(&asleep, 1);
	leave();
	return arg;
}

static void *boss(void *arg)
{
	enter();
	atomic_store(&work, 1);
	if (atomic_load(&asleep))
		atomic_store(&woken, 1);
	leave();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&b, NULL, boss, NULL);
	pthread_create(&a, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	/* Who sleeps although there is work was woken. */
	assert(!atomic_load(&asleep) || atomic_load(&woken));
	return 0;
}
