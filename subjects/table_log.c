/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table and the log that a replica plays. Changing the table and writing the
 * log each take a lock of their own, so two statements may stand in the log
 * the other way round, and a replica that plays it gets another table.
 *
 * bug:      RegressionMaple Figure 5, MySQL #169
 * kind:     atomicity violation, two variables, no data race (LOCON row 12:
 *           Wx Wy / Wx Wy)
 * threads:  main, 1 that inserts, 1 that deletes
 * failure:  wrong result (exit status 1): the replica differs
 * accesses: write of the table, write of the table and write of the log by
 *           another, write of the log
 * natively: rare, one call between two locks
 * twins:    -DPARTIAL has one lock for both, still taken twice; -DFIXED takes
 *           it once
 * sizes:    statements of each thread
 */
#include "subject.h"

#define KEYS 4
#define LOG_MAX 20000

enum statement { STATEMENT_INSERT, STATEMENT_REMOVE };

struct table {
	pthread_mutex_t lock;
	int rows[KEYS];
};

struct entry {
	enum statement statement;
	int key;
};

struct log {
	pthread_mutex_t lock;
	int count;
	struct entry entries[LOG_MAX];
};

static struct table table = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct log binary_log = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int statements;

/* The lock around a change of the table, and that around a line of the log. */
static pthread_mutex_t *table_mutex(void)
{
	return &table.lock;
}

static pthread_mutex_t *log_mutex(void)
{
#ifdef PARTIAL
	return &table.lock;
#else
	return &binary_log.lock;
#endif
}

static void rows_change(int *rows, struct entry entry)
{
	if (entry.statement == STATEMENT_INSERT)
		rows[entry.key]++;
	else
		for (int i = 0; i < KEYS; i++)
			rows[i] = 0;
}

static void log_write(struct entry entry)
{
	pthread_mutex_lock(log_mutex());
	binary_log.entries[binary_log.count++] = entry;
	pthread_mutex_unlock(log_mutex());
}

static void statement_execute(struct entry entry)
{
	pthread_mutex_lock(table_mutex());
	rows_change(table.rows, entry);
#ifdef FIXED
	log_write(entry);
	pthread_mutex_unlock(table_mutex());
#else
	pthread_mutex_unlock(table_mutex());
	log_write(entry);
#endif
}

static void *inserter_run(void *arg)
{
	for (int i = 0; i < statements; i++) {
		unsigned key = subject_work((unsigned)i, 2500) % KEYS;

		statement_execute((struct entry){ STATEMENT_INSERT, (int)key });
	}
	return arg;
}

static void *remover_run(void *arg)
{
	for (int i = 0; i < statements; i++) {
		subject_work((unsigned)i, 3500);
		statement_execute((struct entry){ STATEMENT_REMOVE, 0 });
	}
	return arg;
}

static void replica_check(void)
{
	int rows[KEYS] = { 0 };

	for (int i = 0; i < binary_log.count; i++)
		rows_change(rows, binary_log.entries[i]);
	for (int i = 0; i < KEYS; i++)
		if (rows[i] != table.rows[i])
			subject_wrong("key %d: %d rows here, %d there", i,
				      table.rows[i], rows[i]);
}

int main(int argc, char **argv)
{
	pthread_t inserter, remover;

	statements = subject_size(argc, argv, 1, 2);
	if (2 * statements > LOG_MAX)
		return 2;
	subject_start(&remover, remover_run, NULL);
	subject_start(&inserter, inserter_run, NULL);
	pthread_join(remover, NULL);
	pthread_join(inserter, NULL);
	replica_check();
	printf("%d statements, replica agrees\n", binary_log.count);
	return 0;
}
