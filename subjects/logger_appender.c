/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A logger that hands every event to the appenders that are attached to its
 * category, and to those of the category above. The list of appenders is made
 * with the first one and is gone with the last; logging looks whether there is
 * a list and then goes through it. Lists and appenders have monitors of their
 * own.
 *
 * bug:      RV-CAUSAL Table 1, Log4J1
 * kind:     atomicity violation, one variable (LOCON row 6: R W R)
 * threads:  main, 2 that log, 1 that detaches
 * failure:  null pointer dereference (signal 11)
 * accesses: read of category.list, write of NULL, read of category.list
 * natively: rare, two loads one after the other
 * twins:    -DFIXED holds the category's lock while it goes through
 * sizes:    events of each thread, threads that log
 */
#include "subject.h"

#define THREADS_MAX 2
#define APPENDERS 2

struct appender {
	pthread_mutex_t lock;
	unsigned events;
	unsigned checksum;
};

struct list {
	int room;
	int count;
	pthread_mutex_t lock;
	struct appender *items[APPENDERS];
};

struct category {
	pthread_mutex_t lock;
	struct category *above;
	struct list *volatile list;
};

static struct category top = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct category category = { .lock = PTHREAD_MUTEX_INITIALIZER,
				    .above = &top };
static struct list list = { .room = APPENDERS,
			    .lock = PTHREAD_MUTEX_INITIALIZER };
static struct appender appenders[APPENDERS] = {
	{ .lock = PTHREAD_MUTEX_INITIALIZER },
	{ .lock = PTHREAD_MUTEX_INITIALIZER }
};
static int events;

static void category_attach(struct appender *appender)
{
	pthread_mutex_lock(&category.lock);
	if (!category.list) {
		list.count = 0;
		category.list = &list;
	}
	category.list->items[category.list->count++] = appender;
	pthread_mutex_unlock(&category.lock);
}

static void category_detach_all(void)
{
	pthread_mutex_lock(&category.lock);
	category.list = NULL;
	pthread_mutex_unlock(&category.lock);
}

static void appender_append(struct appender *appender, unsigned event)
{
	pthread_mutex_lock(&appender->lock);
	appender->events++;
	appender->checksum ^= event;
	pthread_mutex_unlock(&appender->lock);
}

static int list_count(struct list *own)
{
	int count;

	pthread_mutex_lock(&own->lock);
	count = own->count;
	pthread_mutex_unlock(&own->lock);
	return count;
}

static struct appender *list_at(struct list *own, int i)
{
	struct appender *found;

	pthread_mutex_lock(&own->lock);
	found = own->items[i];
	pthread_mutex_unlock(&own->lock);
	return found;
}

static int list_append(struct list *own, unsigned event)
{
	int count = own->room ? list_count(own) : 0;

	for (int i = 0; i < count; i++)
		appender_append(list_at(own, i), event);
	return count;
}

static int category_log(unsigned event)
{
	int writes = 0;

	for (struct category *c = &category; c; c = c->above) {
#ifdef FIXED
		pthread_mutex_lock(&c->lock);
#endif
		if (c->list)
			writes += list_append(c->list, event);
#ifdef FIXED
		pthread_mutex_unlock(&c->lock);
#endif
	}
	return writes;
}

static void *thread_run(void *arg)
{
	unsigned seed = *(unsigned *)arg;

	for (int i = 0; i < events; i++) {
		seed = subject_work(seed, 2500);
		category_log(seed);
	}
	return NULL;
}

static void *closer_run(void *arg)
{
	subject_work(5, 5000);
	category_detach_all();
	return arg;
}

int main(int argc, char **argv)
{
	unsigned seeds[THREADS_MAX] = { 3, 44 };
	int count = subject_size(argc, argv, 2, THREADS_MAX);
	pthread_t threads[THREADS_MAX], closer;

	events = subject_size(argc, argv, 1, 2);
	for (int i = 0; i < APPENDERS; i++)
		category_attach(&appenders[i]);
	if (count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		subject_start(&threads[i], thread_run, &seeds[i]);
	subject_start(&closer, closer_run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_join(closer, NULL);
	printf("%u and %u events\n", appenders[0].events, appenders[1].events);
	return 0;
}
