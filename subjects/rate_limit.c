/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sender adapts its rate to the network, within a limit. Who changes the
 * limit lowers the rate first and then sets the limit; who adapts reads the
 * limit and then sets the rate.
 *
 * bug:      LOCON Table 1, row 14
 * kind:     atomicity violation, two variables (Wx Wy / Ry Wx)
 * threads:  main, 1 that adapts, 1 that configures
 * failure:  assertion: the rate is above the limit
 * accesses: read of limit, write of rate and write of limit by the other,
 *           write of rate
 * natively: rare, a load and the next store
 * twins:    -DFIXED does both under a lock
 * sizes:    adaptations, changes of the limit
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

struct sender {
	pthread_mutex_t lock;
	_Atomic unsigned rate;
	_Atomic unsigned limit;
	unsigned sent;
};

static struct sender sender = { .lock = PTHREAD_MUTEX_INITIALIZER,
				.rate = 1000,
				.limit = 1000 };
static int adaptations;
static int changes;

static void sender_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&sender.lock);
#endif
}

static void sender_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&sender.lock);
#endif
}

static void rate_adapt(unsigned possible)
{
	unsigned limit;

	sender_enter();
	limit = atomic_load(&sender.limit);
	atomic_store(&sender.rate, possible < limit ? possible : limit);
	sender_leave();
}

static void limit_set(unsigned limit)
{
	sender_enter();
	if (atomic_load(&sender.rate) > limit)
		atomic_store(&sender.rate, limit);
	atomic_store(&sender.limit, limit);
	sender_leave();
}

/* The network gets better and better. */
static void *adapter_run(void *arg)
{
	for (int i = 0; i < adaptations; i++) {
		unsigned noise = subject_work((unsigned)i, 3000) % 10;

		rate_adapt(900 + noise);
		sender.sent += noise;
	}
	return arg;
}

static void *configurator_run(void *arg)
{
	for (int i = 0; i < changes; i++) {
		subject_work((unsigned)i, 4000);
		limit_set(600 - 100 * (unsigned)(i % 5));
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t adapter, configurator;

	adaptations = subject_size(argc, argv, 1, 3);
	changes = subject_size(argc, argv, 2, 2);
	subject_start(&adapter, adapter_run, NULL);
	subject_start(&configurator, configurator_run, NULL);
	pthread_join(adapter, NULL);
	pthread_join(configurator, NULL);
	assert(atomic_load(&sender.rate) <= atomic_load(&sender.limit));
	printf("rate %u of %u\n", atomic_load(&sender.rate),
	       atomic_load(&sender.limit));
	return 0;
}
