/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turnstiles of a stadium count their visitors, each for itself and all
 * together in one counter.
 *
 * bug:      RegressionMaple Table 1, shared counter; LOCON Table 3, s_counter
 * kind:     atomicity violation, one variable (LOCON row 5: R W W)
 * threads:  main and 2 turnstiles
 * failure:  assertion: the sum of the turnstiles is not the total
 * accesses: read of total, write of total by another, write of total
 * natively: rare, three instructions in a microsecond of other work
 * twins:    -DPARTIAL makes it one statement, which is still three steps;
 *           -DFIXED takes a lock around it
 * sizes:    visitors for each turnstile, rounds of checking a ticket
 */
#include <assert.h>

#include "subject.h"

#define TURNSTILES 2

struct turnstile {
	int number;
	unsigned counted;
	unsigned refused;
};

static volatile unsigned total;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int visitors;
static int rounds;

/* Every seventh ticket or so is for another day. */
static int ticket_is_good(int turnstile, int visitor)
{
	unsigned seed = (unsigned)(turnstile * 7919 + visitor);

	return subject_work(seed, (unsigned)rounds) % 7 != 0;
}

static void total_add(void)
{
#if defined(FIXED)
	pthread_mutex_lock(&total_lock);
	total = total + 1;
	pthread_mutex_unlock(&total_lock);
#elif defined(PARTIAL)
	(void)total_lock;
	total++;
#else
	unsigned seen = total;

	(void)total_lock;
	seen++;
	total = seen;
#endif
}

static void *turnstile_run(void *arg)
{
	struct turnstile *own = arg;

	for (int i = 0; i < visitors; i++) {
		if (!ticket_is_good(own->number, i)) {
			own->refused++;
			continue;
		}
		own->counted++;
		total_add();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct turnstile turnstiles[TURNSTILES] = { 0 };
	pthread_t threads[TURNSTILES];
	unsigned sum = 0;

	visitors = subject_size(argc, argv, 1, 4);
	rounds = subject_size(argc, argv, 2, 1000);
	for (int i = 0; i < TURNSTILES; i++) {
		turnstiles[i].number = i;
		subject_start(&threads[i], turnstile_run, &turnstiles[i]);
	}
	for (int i = 0; i < TURNSTILES; i++) {
		pthread_join(threads[i], NULL);
		sum += turnstiles[i].counted;
	}
	assert(total == sum);
	printf("%u visitors\n", total);
	return 0;
}
