/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service logs through processes in a table; a sweeper removes the log of a
 * process that has ended, while writers look it up, see that it is there and
 * then use it.
 *
 * bug:      LOCON Table 3, L_proc_sweep
 * kind:     atomicity violation, one variable (LOCON row 6: R W R)
 * threads:  main, 2 writers, 1 sweeper
 * failure:  null pointer dereference (signal 11)
 * accesses: read of entry->log, write of NULL by the sweeper, read of
 *           entry->log
 * natively: rare, two loads one after the other
 * twins:    -DFIXED holds the entry's lock over check and use
 * sizes:    lines of each writer
 */
#include <string.h>

#include "subject.h"

#define WRITERS 2
#define PROCESSES 3

struct sink {
	unsigned lines;
	unsigned bytes;
};

struct process {
	pthread_mutex_t lock;
	int has_ended;
	struct sink *volatile log;
	struct sink sink;
};

struct writer {
	int number;
	unsigned dropped;
};

static struct process table[PROCESSES];
static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void sink_write(struct sink *sink, const char *line)
{
	pthread_mutex_lock(&sink_lock);
	sink->lines++;
	sink->bytes += (unsigned)strlen(line);
	pthread_mutex_unlock(&sink_lock);
}

/* 0: the log is gone. */
static int process_log(struct process *process, const char *line)
{
	int written = 0;

#ifdef FIXED
	pthread_mutex_lock(&process->lock);
#endif
	if (process->log) {
		sink_write(process->log, line);
		written = 1;
	}
#ifdef FIXED
	pthread_mutex_unlock(&process->lock);
#endif
	return written;
}

static void process_end(struct process *process)
{
	pthread_mutex_lock(&process->lock);
	process->has_ended = 1;
	pthread_mutex_unlock(&process->lock);
}

static void *writer_run(void *arg)
{
	struct writer *own = arg;
	char line[48];

	for (int i = 0; i < lines; i++) {
		unsigned value =
			subject_work((unsigned)(own->number * 31 + i), 3000);
		int target = (int)(value % PROCESSES);

		snprintf(line, sizeof(line), "writer %d: %08x", own->number,
			 value);
		own->dropped += !process_log(&table[target], line);
	}
	process_end(&table[own->number]);
	return NULL;
}

static void *sweeper_run(void *arg)
{
	for (int pass = 0; pass < 2; pass++) {
		subject_work((unsigned)pass, 2000);
		for (int i = 0; i < PROCESSES; i++) {
			struct process *process = &table[i];

			pthread_mutex_lock(&process->lock);
			if (process->has_ended)
				process->log = NULL;
			pthread_mutex_unlock(&process->lock);
		}
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct writer writers[WRITERS] = { 0 };
	pthread_t threads[WRITERS], sweeper;
	unsigned written = 0;

	lines = subject_size(argc, argv, 1, 4);
	for (int i = 0; i < PROCESSES; i++) {
		pthread_mutex_init(&table[i].lock, NULL);
		table[i].log = &table[i].sink;
	}
	for (int i = 0; i < WRITERS; i++) {
		writers[i].number = i;
		subject_start(&threads[i], writer_run, &writers[i]);
	}
	subject_start(&sweeper, sweeper_run, NULL);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(sweeper, NULL);
	for (int i = 0; i < PROCESSES; i++)
		written += table[i].sink.lines;
	printf("%u lines\n", written);
	return 0;
}
