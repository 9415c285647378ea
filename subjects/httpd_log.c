/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffered access log of a web server: a worker copies its line to the end
 * of a buffer that all share and moves the end; a buffer without room for a
 * line is written to the file first. In the end the file is read again and
 * every line looked for.
 *
 * bug:      CTrigger Figure 1 and Table 2, Apache#2; LOCON Table 3, Apache-2
 * kind:     atomicity violation, one variable (LOCON row 5: R W W)
 * threads:  main and 2 workers
 * failure:  wrong result (exit status 1): the log file is garbled
 * accesses: read of log.used, write of log.used by another, write of log.used
 * natively: in a few of a hundred runs: a short copy between the two
 * twins:    -DPARTIAL holds the log's lock where the buffer is flushed, not
 *           where it is filled; -DFIXED holds it over both
 * sizes:    requests of each worker; then the path of the log file, which is
 *           a file without a name if there is none
 */
#include <string.h>

#include "subject.h"

#define WORKERS 2
#define LOG_SIZE 64
#define LINE_SIZE 32

struct log {
	pthread_mutex_t lock;
	FILE *file;
	volatile size_t used;
	char buffer[LOG_SIZE];
};

static struct log access_log = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int requests;

static void log_flush(struct log *log)
{
	size_t used = log->used;

	log->used = 0;
	fwrite(log->buffer, 1, used, log->file);
}

static void log_write(struct log *log, const char *line, size_t length)
{
#if defined(FIXED) || defined(PARTIAL)
	pthread_mutex_lock(&log->lock);
#endif
	if (length > LOG_SIZE - log->used)
		log_flush(log);
#ifdef PARTIAL
	pthread_mutex_unlock(&log->lock);
#endif
	memcpy(&log->buffer[log->used], line, length);
	log->used += length;
#ifdef FIXED
	pthread_mutex_unlock(&log->lock);
#endif
}

static int line_print(char *line, int worker, int request)
{
	static const char *const pages[] = { "/", "/news", "/mail", "/x.png" };
	unsigned visitor =
		subject_work((unsigned)(worker + request * 11), 4000);

	return snprintf(line, LINE_SIZE, "%d.%d GET %s %u\n", worker, request,
			pages[visitor % 4], 200 + visitor % 3);
}

static void *worker_run(void *arg)
{
	char line[LINE_SIZE];
	int number = *(int *)arg;

	for (int i = 0; i < requests; i++) {
		int length = line_print(line, number, i);

		log_write(&access_log, line, (size_t)length);
	}
	return NULL;
}

/* Every worker's lines are in the file, in its order, and no others. */
static void log_check(FILE *file)
{
	int next[WORKERS] = { 0 };
	char line[LINE_SIZE], wanted[LINE_SIZE];

	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		int worker = line[0] - '0';

		if (worker < 0 || worker >= WORKERS)
			subject_wrong("a line of nobody: %s", line);
		line_print(wanted, worker, next[worker]++);
		if (strcmp(line, wanted) != 0)
			subject_wrong("garbled log: %s", line);
	}
	for (int i = 0; i < WORKERS; i++)
		if (next[i] != requests)
			subject_wrong("%d lines of worker %d in the log",
				      next[i], i);
}

int main(int argc, char **argv)
{
	int numbers[WORKERS];
	pthread_t threads[WORKERS];

	requests = subject_size(argc, argv, 1, 4);
	access_log.file = argc > 2 ? fopen(argv[2], "w+") : tmpfile();
	if (!access_log.file)
		return 2;
	for (int i = 0; i < WORKERS; i++) {
		numbers[i] = i;
		subject_start(&threads[i], worker_run, &numbers[i]);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	log_flush(&access_log);
	log_check(access_log.file);
	fclose(access_log.file);
	printf("%d lines logged\n", WORKERS * requests);
	return 0;
}
