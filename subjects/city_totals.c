/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of several districts add their votes to a table of the city. The
 * mayor reads the table out, and gives it back, when he thinks they are done.
 *
 * bug:      the partial fix of RegressionMaple Figure 6, with more threads
 * kind:     order violation (LOCON row 1: W R)
 * threads:  main and 3 counters
 * failure:  use after free, or an assertion on the sum
 * accesses: free of the table by main, write of the table by a counter
 * natively: in some of 100 runs, by machine and load; most then do not end
 * twins:    -DPARTIAL joins the first counter only; -DFIXED joins all
 * sizes:    ballots of a district, rounds of reading one
 */
#include <assert.h>

#include "subject.h"

#define DISTRICTS 3

struct table {
	pthread_mutex_t lock;
	int votes;
	int districts;
};

struct counter {
	struct table *table;
	int number;
};

static int ballots;
static int rounds;

static void table_add(struct table *table, int votes)
{
	pthread_mutex_lock(&table->lock);
	table->votes += votes;
	table->districts++;
	pthread_mutex_unlock(&table->lock);
}

static void *counter_run(void *arg)
{
	const struct counter *own = arg;
	int votes = 0;

	for (int i = 0; i < ballots; i++)
		votes += subject_work((unsigned)(own->number * 31 + i),
				      (unsigned)rounds) %
			 2;
	table_add(own->table, votes);
	return NULL;
}

/* Waits for those it waits for; the others are quick, as a rule. */
static void counters_await(const pthread_t *threads)
{
#if defined(FIXED)
	for (int i = 0; i < DISTRICTS; i++)
		pthread_join(threads[i], NULL);
#elif defined(PARTIAL)
	pthread_join(threads[0], NULL);
#else
	(void)threads;
#endif
}

int main(int argc, char **argv)
{
	struct counter counters[DISTRICTS];
	pthread_t threads[DISTRICTS];
	struct table *table = calloc(1, sizeof(*table));

	ballots = subject_size(argc, argv, 1, 3);
	rounds = subject_size(argc, argv, 2, 1000);
	if (!table)
		return 2;
	pthread_mutex_init(&table->lock, NULL);
	for (int i = 0; i < DISTRICTS; i++) {
		counters[i] = (struct counter){ table, i };
		subject_start(&threads[i], counter_run, &counters[i]);
	}
	counters_await(threads);
	pthread_mutex_lock(&table->lock);
	assert(table->votes <= DISTRICTS * ballots);
	printf("%d votes\n", table->votes);
	pthread_mutex_unlock(&table->lock);
	free(table);
	pthread_exit(NULL);
}
