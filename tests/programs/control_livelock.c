/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: livelock, in every run; with "alone" too, when the one that spins is
 * the only thread left; with "count" the limit of points instead.
 *
 * Two threads wait for each other by spinning, and a third is blocked.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int a, b;
static volatile int flag, dummy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *one(void *unused)
{
	while (!atomic_load(&a))
		;
	atomic_store(&b, 1);
	return unused;
}

static void *other(void *unused)
{
	while (!atomic_load(&b))
		(void)flag;
	atomic_store(&a, 1);
	return unused;
}

static void *counts(void *unused)
{
	long rounds = 0;

	while (!atomic_load(&b))
		rounds++;
	atomic_store(&a, rounds & 1);
	return unused;
}

static void *blocked(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&never, &lock);
	return unused;
}

static void *ends(void *unused)
{
	dummy = flag;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	if (argc > 1 && !strcmp(argv[1], "alone")) {
		pthread_create(&t[0], NULL, ends, NULL);
		pthread_join(t[0], NULL);
		while (!flag)
			;
		return 0;
	}
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, argc > 1 ? counts : other, NULL);
	pthread_create(&t[2], NULL, blocked, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
