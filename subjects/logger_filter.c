/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A logger with a filter that can be set and removed at any time. Logging
 * looks whether there is a filter and then asks it; a record that passes goes
 * to the handlers of the logger and of those above it. Logging holds the
 * logger's lock while it filters, but setting the filter does not.
 *
 * bug:      RV-CAUSAL Table 1, Logger
 * kind:     atomicity violation, one variable (LOCON row 6: R W R)
 * threads:  main, 2 that log, 1 that configures
 * failure:  null pointer dereference (signal 11)
 * accesses: read of logger.filter, write of NULL, read of logger.filter
 * natively: rare, two loads one after the other
 * twins:    -DFIXED reads it once
 * sizes:    records of each thread, how often the filter is set or removed,
 *           threads that log, whether there is one at first (2) or not (1)
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

struct handler {
	pthread_mutex_t lock;
	unsigned written;
	unsigned checksum;
};

struct logger {
	pthread_mutex_t lock;
	struct logger *parent;
	struct handler *handler;
	const struct filter *volatile filter;
};

static struct handler console = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct logger top = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .handler = &console };
static struct logger logger = { .lock = PTHREAD_MUTEX_INITIALIZER,
				.parent = &top };
static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER;
static const struct filter filters[2] = { { LEVEL_INFO, 3 },
					  { LEVEL_ERROR, 5 } };
static int records;
static int changes;
static int is_set_first;

static int filter_passes(const struct filter *filter,
			 const struct record *record)
{
	return record->level >= filter->least ||
	       record->value % filter->modulus == 0;
}

static int logger_passes(const struct record *record)
{
	int passes;

	pthread_mutex_lock(&logger.lock);
#ifdef FIXED
	const struct filter *filter = logger.filter;

	passes = !filter || filter_passes(filter, record);
#else
	passes = !logger.filter || filter_passes(logger.filter, record);
#endif
	pthread_mutex_unlock(&logger.lock);
	return passes;
}

static struct handler *logger_handler(struct logger *own)
{
	struct handler *handler;

	pthread_mutex_lock(&own->lock);
	handler = own->handler;
	pthread_mutex_unlock(&own->lock);
	return handler;
}

static struct logger *logger_parent(struct logger *own)
{
	struct logger *parent;

	pthread_mutex_lock(&tree);
	parent = own->parent;
	pthread_mutex_unlock(&tree);
	return parent;
}

static void handler_publish(struct handler *handler,
			    const struct record *record)
{
	pthread_mutex_lock(&handler->lock);
	handler->written++;
	handler->checksum ^= record->value;
	pthread_mutex_unlock(&handler->lock);
}

static void logger_log(const struct record *record)
{
	if (!logger_passes(record))
		return;
	for (struct logger *l = &logger; l; l = logger_parent(l)) {
		struct handler *handler = logger_handler(l);

		if (handler)
			handler_publish(handler, record);
	}
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
		int set = is_set_first ? i % 2 : !(i % 2);

		subject_work((unsigned)i, 2500);
		logger.filter = set ? &filters[i / 2 % 2] : NULL;
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned seeds[THREADS_MAX] = { 3, 44 };
	int count = subject_size(argc, argv, 3, THREADS_MAX);
	pthread_t threads[THREADS_MAX], configurator;

	records = subject_size(argc, argv, 1, 3);
	changes = subject_size(argc, argv, 2, 4);
	is_set_first = subject_size(argc, argv, 4, 1) == 2;
	if (is_set_first)
		logger.filter = &filters[0];
	if (count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		subject_start(&threads[i], thread_run, &seeds[i]);
	subject_start(&configurator, configurator_run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_join(configurator, NULL);
	printf("%u records written\n", console.written);
	return 0;
}
