/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database writes every statement that changes something to its binary log.
 * When the log is full it is closed and the next one opened, under the log's
 * lock. A session first asks, without the lock, whether there is an open log
 * at all; for the moment of the rotation there is none.
 *
 * bug:      CTrigger Table 2, MySQL; LOCON Table 3, MySQL-3
 * kind:     atomicity violation, one variable (LOCON row 7: W R W)
 * threads:  main, 2 sessions, 1 that flushes logs
 * failure:  wrong result (exit status 1): a statement is in no log
 * accesses: write of log.state (closed), read of log.state by a session, write
 *           of log.state (open)
 * natively: in one of a hundred runs or so: opening a file takes time
 * twins:    -DFIXED asks under the lock
 * sizes:    statements of each session, rotations
 */
#include <stdatomic.h>

#include "subject.h"

#define SESSIONS 2
#define FILES 64

enum state { LOG_CLOSED, LOG_OPEN };

struct binlog {
	pthread_mutex_t lock;
	_Atomic enum state state;
	FILE *files[FILES];
	int current;
	unsigned position;
};

struct session {
	int number;
	unsigned rows;
};

static struct binlog binlog = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int statements;
static int rotations;

/* Opens the next file; the lock is held, or there is one thread only. */
static void binlog_open(void)
{
	FILE *file = tmpfile();

	if (!file)
		exit(2);
	binlog.current = (binlog.current + 1) % FILES;
	if (binlog.files[binlog.current])
		fclose(binlog.files[binlog.current]);
	binlog.files[binlog.current] = file;
	binlog.position = 0;
	atomic_store(&binlog.state, LOG_OPEN);
}

static void binlog_rotate(void)
{
	pthread_mutex_lock(&binlog.lock);
	atomic_store(&binlog.state, LOG_CLOSED);
	fflush(binlog.files[binlog.current]);
	binlog_open();
	pthread_mutex_unlock(&binlog.lock);
}

static void binlog_write(const struct session *session, int statement)
{
#ifndef FIXED
	if (atomic_load(&binlog.state) == LOG_CLOSED)
		return;
#endif
	pthread_mutex_lock(&binlog.lock);
	if (atomic_load(&binlog.state) == LOG_OPEN)
		binlog.position +=
			(unsigned)fprintf(binlog.files[binlog.current],
					  "session %d statement %d\n",
					  session->number, statement);
	pthread_mutex_unlock(&binlog.lock);
}

static void *session_run(void *arg)
{
	struct session *own = arg;

	for (int i = 0; i < statements; i++) {
		own->rows +=
			subject_work((unsigned)(own->number + i), 3000) % 9;
		binlog_write(own, i);
	}
	return NULL;
}

static void *flusher_run(void *arg)
{
	for (int i = 0; i < rotations; i++) {
		subject_work((unsigned)i, 5000);
		binlog_rotate();
	}
	return arg;
}

/* How many lines all files have. */
static int binlog_count(void)
{
	int lines = 0;

	for (int i = 0; i < FILES; i++) {
		if (!binlog.files[i])
			continue;
		rewind(binlog.files[i]);
		for (int c; (c = fgetc(binlog.files[i])) != EOF;)
			lines += c == '\n';
		fclose(binlog.files[i]);
	}
	return lines;
}

int main(int argc, char **argv)
{
	struct session sessions[SESSIONS] = { 0 };
	pthread_t threads[SESSIONS], flusher;
	int logged;

	statements = subject_size(argc, argv, 1, 3);
	rotations = subject_size(argc, argv, 2, 1);
	if (rotations >= FILES)
		return 2;
	binlog_open();
	for (int i = 0; i < SESSIONS; i++) {
		sessions[i].number = i;
		subject_start(&threads[i], session_run, &sessions[i]);
	}
	subject_start(&flusher, flusher_run, NULL);
	for (int i = 0; i < SESSIONS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(flusher, NULL);
	logged = binlog_count();
	if (logged != SESSIONS * statements)
		subject_wrong("%d of %d statements in the log", logged,
			      SESSIONS * statements);
	printf("%d statements in %d logs\n", logged, rotations + 1);
	return 0;
}
