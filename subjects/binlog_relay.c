/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replica reads events from its relay log. When the log is replaced, first
 * the name of the log changes and then what it begins with; the reader checks
 * the name and then expects the beginning that belongs to it.
 *
 * bug:      LOCON Table 3 and Figure 6, MySQL-2 extracted
 * kind:     atomicity violation, two variables, caused by one pair alone
 * threads:  main, 1 reader, 1 queue
 * failure:  abnormal exit (exit status 1): the log is called damaged
 * accesses: read of name, write of name and write of magic by the queue, read
 *           of magic
 * natively: rare, two loads one after the other
 * twins:    -DFIXED reads and writes both under the log's lock
 * sizes:    events, rounds of work on one
 */
#include <stdatomic.h>

#include "subject.h"

enum log_name { LOG_PRIMARY, LOG_FOREIGN };

#define MAGIC_PRIMARY 0x6e6962fe
#define MAGIC_FOREIGN 0x43

struct relay {
	pthread_mutex_t lock;
	_Atomic enum log_name name;
	_Atomic unsigned magic;
	_Atomic unsigned queued;
};

static struct relay relay = { .lock = PTHREAD_MUTEX_INITIALIZER,
			      .magic = MAGIC_PRIMARY };
static int events;
static int effort;

static void relay_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&relay.lock);
#endif
}

static void relay_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&relay.lock);
#endif
}

/* 0: the log that is open now has another format; 1: an event. */
static int relay_next(void)
{
	int found = 0;

	relay_enter();
	if (atomic_load(&relay.name) == LOG_PRIMARY) {
		unsigned magic = atomic_load(&relay.magic);

		if (magic != MAGIC_PRIMARY)
			subject_wrong("relay log is damaged: %#x", magic);
		found = 1;
	}
	relay_leave();
	return found;
}

static void relay_replace(enum log_name name, unsigned magic)
{
	relay_enter();
	atomic_store(&relay.name, name);
	atomic_store(&relay.magic, magic);
	relay_leave();
}

static void *reader_run(void *arg)
{
	unsigned *applied = arg;

	for (int i = 0; i < events; i++) {
		subject_work((unsigned)i, (unsigned)effort);
		if (relay_next())
			++*applied;
	}
	return NULL;
}

static void *queue_run(void *arg)
{
	for (int i = 0; i < events; i++) {
		subject_work((unsigned)i + 99, (unsigned)effort);
		atomic_fetch_add(&relay.queued, 1);
	}
	/* The other server takes over. */
	relay_replace(LOG_FOREIGN, MAGIC_FOREIGN);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t reader, queue;
	unsigned applied = 0;

	events = subject_size(argc, argv, 1, 3);
	effort = subject_size(argc, argv, 2, 1500);
	subject_start(&reader, reader_run, &applied);
	subject_start(&queue, queue_run, NULL);
	pthread_join(reader, NULL);
	pthread_join(queue, NULL);
	printf("%u of %u events applied\n", applied,
	       atomic_load(&relay.queued));
	return 0;
}
