/* SPDX-License-Identifier: Apache-2.0 */
/* Row 10 of LOCON's Table 1, Wx Wy / Rx Ry: a range moves up, end and start
 * each under a lock of their own; who reads both may find them crossed.
 * -DFIXED takes one lock. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t whole = PTHREAD_RWLOCK_INITIALIZER;
static struct bound {
	pthread_mutex_t lock;
	int at;
} start = { PTHREAD_MUTEX_INITIALIZER, 0 },
  end = { PTHREAD_MUTEX_INITIALIZER, 4 };

static int bound_get(struct bound *b)
{
	int at;

	pthread_mutex_lock(&b->lock);
	at = b->at;
	pthread_mutex_unlock(&b->lock);
	return at;
}

static void bound_set(struct bound *b, int at)
{
	pthread_mutex_lock(&b->lock);
	b->at = at;
	pthread_mutex_unlock(&b->lock);
}

static void *mover(void *arg)
{
	for (int i = 1; i < 3; i++) {
#ifdef FIXED
		pthread_rwlock_wrlock(&whole);
#endif
		bound_set(&start, 10 * i);
		bound_set(&end, 10 * i + 4);
#ifdef FIXED
		pthread_rwlock_unlock(&whole);
#else
		(void)whole;
#endif
	}
	return arg;
}

static void *reader(void *arg)
{
	int a, b;

#ifdef FIXED
	pthread_rwlock_rdlock(&whole);
#endif
	a = bound_get(&start);
	b = bound_get(&end);
#ifdef FIXED
	pthread_rwlock_unlock(&whole);
#endif
	assert(b - a == 4);
	return arg;
}

int main(void)
{
	pthread_t one, two, three;

	pthread_create(&one, NULL, reader, NULL);
	pthread_create(&two, NULL, mover, NULL);
	pthread_create(&three, NULL, reader, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	pthread_join(three, NULL);
	return 0;
}
