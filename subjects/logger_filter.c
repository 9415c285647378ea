/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A logger with a filter that can be set and removed at any time. Logging
 * looks whether there is a filter and then asks it.
 *
 * bug:      RV-CAUSAL Table 1, Logger
 * kind:     atomicity violation, one variable (LOCON row 6: R W R)
 * threads:  main, 2 that log, 1 that configures
 * failure:  null pointer dereference (signal 11)
 * accesses: read of logger.filter, write of NULL, read of logger.filter
 * natively: rare, two loads one after the other
 * twins:    -DFIXED reads it once
 * sizes:    records of each thread, changes of the filter, threads that log,
 *           whether there is a filter at first (2) or not (1)
 */
#include "subject.h"

#define THREADS_MAX 2

enum level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_ERROR };

struct record {
	enum level level;
	unsigned value;
};

struct filter {
	enum level least;
	unsigned modulus;
};

struct logger {
	pthread_mutex_t lock;
	const struct filter *volatile filter;
	unsigned written;
	unsigned checksum;
};

static struct logger logger = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct filter filters[2] = { { LEVEL_INFO, 3 },
					  { LEVEL_ERROR, 5 } };
static int records;
static int changes;

static int filter_passes(const struct filter *filter,
			 const struct record *record)
{
	return record->level >= filter->least ||
	       record->value % filter->modulus == 0;
}

static void logger_write(const struct record *record)
{
	pthread_mutex_lock(&logger.lock);
	logger.written++;
	logger.checksum ^= record->value;
	pthread_mutex_unlock(&logger.lock);
}

static void logger_log(const struct record *record)
{
#ifdef FIXED
	const struct filter *filter = logger.filter;

	if (filter && !filter_passes(filter, record))
		return;
#else
	if (logger.filter && !filter_passes(logger.filter, record))
		return;
#endif
	logger_write(record);
}

static void *thread_run(void *arg)
{
	unsigned seed = *(unsigned *)arg;

	for (int i = 0; i < records; i++) {
		struct record record;

		seed = subject_work(seed, 2500);
		record.level = (enum level)(seed % 3);
		record.value = seed >> 4;
		logger_log(&record);
	}
	return NULL;
}

static void *configurator_run(void *arg)
{
	for (int i = 0; i < changes; i++) {
		subject_work((unsigned)i, 3000);
		logger.filter = &filters[i % 2];
		subject_work((unsigned)i, 2000);
		logger.filter = NULL;
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned seeds[THREADS_MAX] = { 3, 44 };
	int count = subject_size(argc, argv, 3, THREADS_MAX);
	pthread_t threads[THREADS_MAX], configurator;

	records = subject_size(argc, argv, 1, 3);
	changes = subject_size(argc, argv, 2, 2);
	if (subject_size(argc, argv, 4, 1) == 2)
		logger.filter = &filters[0];
	if (count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		subject_start(&threads[i], thread_run, &seeds[i]);
	subject_start(&configurator, configurator_run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_join(configurator, NULL);
	printf("%u records written\n", logger.written);
	return 0;
}
