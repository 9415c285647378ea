/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goods move from one warehouse to the other and are never lost on the way; an
 * auditor counts them, in the second warehouse first.
 *
 * bug:      LOCON Table 1, row 13
 * kind:     atomicity violation, two variables (Wx Wy / Ry Rx)
 * threads:  main, 1 that moves, 1 that audits
 * failure:  wrong result (exit status 1): the sum is not what was there
 * accesses: read of the second stock, write of the first, read of the first,
 *           write of the second
 * natively: rare, two loads one after the other
 * twins:    -DFIXED moves and counts under both locks
 * sizes:    moves, audits
 */
#include "subject.h"

#define GOODS 100

struct warehouse {
	pthread_mutex_t lock;
	int stock;
};

static struct warehouse first = { PTHREAD_MUTEX_INITIALIZER, GOODS };
static struct warehouse second = { PTHREAD_MUTEX_INITIALIZER, 0 };
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static int moves;
static int audits;

static void both_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&both);
#else
	(void)both;
#endif
}

static void both_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&both);
#endif
}

static void stock_change(struct warehouse *warehouse, int amount)
{
	pthread_mutex_lock(&warehouse->lock);
	warehouse->stock += amount;
	pthread_mutex_unlock(&warehouse->lock);
}

static int stock_count(struct warehouse *warehouse)
{
	int stock;

	pthread_mutex_lock(&warehouse->lock);
	stock = warehouse->stock;
	pthread_mutex_unlock(&warehouse->lock);
	return stock;
}

/* Every other load comes back, so that the first warehouse is never empty. */
static void *mover_run(void *arg)
{
	for (int i = 0; i < moves; i++) {
		int amount = (int)(subject_work((unsigned)i, 3000) % 20) + 1;

		both_enter();
		stock_change(&first, -amount);
		stock_change(&second, amount);
		both_leave();
		if (i % 2) {
			both_enter();
			stock_change(&first, amount);
			stock_change(&second, -amount);
			both_leave();
		}
	}
	return arg;
}

static void *auditor_run(void *arg)
{
	unsigned *reports = arg;

	for (int i = 0; i < audits; i++) {
		int there, here;

		subject_work((unsigned)i, 3500);
		both_enter();
		there = stock_count(&second);
		here = stock_count(&first);
		both_leave();
		if (here + there != GOODS)
			subject_wrong("%d here and %d there are not %d", here,
				      there, GOODS);
		++*reports;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t mover, auditor;
	unsigned reports = 0;

	moves = subject_size(argc, argv, 1, 2);
	audits = subject_size(argc, argv, 2, 2);
	subject_start(&mover, mover_run, NULL);
	subject_start(&auditor, auditor_run, &reports);
	pthread_join(mover, NULL);
	pthread_join(auditor, NULL);
	printf("%u audits\n", reports);
	return 0;
}
