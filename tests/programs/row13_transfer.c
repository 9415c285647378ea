/* SPDX-License-Identifier: Apache-2.0 */
/* Row 13 of LOCON's Table 1, Wx Wy / Ry Rx: money goes from one account to the
 * next one, an auditor adds them up from the other end. -DFIXED locks all. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ACCOUNTS 3

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long accounts[ACCOUNTS] = { 100, 100, 100 };

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&all);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&all);
#else
	(void)all;
#endif
}

static void *mover(void *arg)
{
	enter();
	atomic_fetch_sub(&accounts[0], 30);
	atomic_fetch_add(&accounts[2], 30);
	leave();
	return arg;
}

static void *auditor(void *arg)
{
	long sum = 0;

	enter();
	for (int i = ACCOUNTS; i-- > 0;)
		sum += atomic_load(&accounts[i]);
	leave();
	assert(sum == 300);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, auditor, NULL);
	pthread_create(&b, NULL, mover, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
