/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An appender that writes lines to a file. Closing it sets a flag and lets go
 * of the writer; appending looks at the flag and then uses the writer.
 *
 * bug:      RV-CAUSAL Table 1, Log4J2
 * kind:     atomicity violation, two variables (LOCON row 10: Wx Wy / Rx Ry)
 * threads:  main, 2 that log, 1 that closes
 * failure:  null pointer dereference (signal 11)
 * accesses: read of is_closed, write of is_closed and write of writer by
 *           another, read of writer
 * natively: rare, two loads one after the other
 * twins:    -DFIXED closes and appends under the appender's lock
 * sizes:    lines of each thread, threads that log
 */
#include <string.h>

#include "subject.h"

#define THREADS_MAX 2

struct writer {
	pthread_mutex_t lock;
	FILE *file;
	unsigned bytes;
};

struct appender {
	pthread_mutex_t lock;
	volatile int is_closed;
	struct writer *volatile writer;
};

static struct writer file_writer = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct appender appender = { .lock = PTHREAD_MUTEX_INITIALIZER,
				    .writer = &file_writer };
static int lines;

static void writer_put(struct writer *writer, const char *line)
{
	pthread_mutex_lock(&writer->lock);
	fputs(line, writer->file);
	writer->bytes += (unsigned)strlen(line);
	pthread_mutex_unlock(&writer->lock);
}

static void appender_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&appender.lock);
#endif
}

static void appender_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&appender.lock);
#endif
}

static void appender_append(const char *line)
{
	appender_enter();
	if (!appender.is_closed)
		writer_put(appender.writer, line);
	appender_leave();
}

static void appender_close(void)
{
	appender_enter();
	appender.is_closed = 1;
	appender.writer = NULL;
	appender_leave();
}

static void *thread_run(void *arg)
{
	unsigned seed = *(unsigned *)arg;
	char line[32];

	for (int i = 0; i < lines; i++) {
		seed = subject_work(seed, 2500);
		snprintf(line, sizeof(line), "%d: %08x\n", i, seed);
		appender_append(line);
	}
	return NULL;
}

static void *closer_run(void *arg)
{
	subject_work(5, 6000);
	appender_close();
	return arg;
}

int main(int argc, char **argv)
{
	unsigned seeds[THREADS_MAX] = { 3, 44 };
	int count = subject_size(argc, argv, 2, THREADS_MAX);
	pthread_t threads[THREADS_MAX], closer;

	lines = subject_size(argc, argv, 1, 2);
	file_writer.file = tmpfile();
	if (!file_writer.file)
		return 2;
	if (count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		subject_start(&threads[i], thread_run, &seeds[i]);
	subject_start(&closer, closer_run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_join(closer, NULL);
	fclose(file_writer.file);
	printf("%u bytes written\n", file_writer.bytes);
	return 0;
}
