/* SPDX-License-Identifier: Apache-2.0 */
/* Row 9 of LOCON's Table 1, Rx Wy / Ry Wx: two departments may spend ten
 * together; each looks at what the other has spent. Every access has its lock.
 * -DFIXED has one for all. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct department {
	pthread_mutex_t lock;
	int spent;
	struct department *other;
};

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;

static int spent_of(struct department *d)
{
	int spent;

	pthread_mutex_lock(&d->lock);
	spent = d->spent;
	pthread_mutex_unlock(&d->lock);
	return spent;
}

static void *spend(void *arg)
{
	struct department *own = arg;

#ifdef FIXED
	pthread_mutex_lock(&both);
#endif
	if (spent_of(own->other) + 7 <= 10) {
		pthread_mutex_lock(&own->lock);
		own->spent = 7;
		pthread_mutex_unlock(&own->lock);
	}
#ifdef FIXED
	pthread_mutex_unlock(&both);
#else
	(void)both;
#endif
	return NULL;
}

int main(void)
{
	struct department *a = calloc(1, sizeof(*a));
	struct department *b = calloc(1, sizeof(*b));
	pthread_t one, two;

	pthread_mutex_init(&a->lock, NULL);
	pthread_mutex_init(&b->lock, NULL);
	a->other = b;
	b->other = a;
	pthread_create(&one, NULL, spend, a);
	pthread_create(&two, NULL, spend, b);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	assert(a->spent + b->spent <= 10);
	free(a);
	free(b);
	return 0;
}
