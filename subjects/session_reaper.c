/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server's table of sessions. A worker looks a session up under the table's
 * lock and then works with it; a reaper removes and frees sessions that were
 * idle for long, and the worker's was, until now.
 *
 * bug:      use after free by a race
 * kind:     heap misuse, order violation
 * threads:  main, 2 workers, 1 reaper
 * failure:  use after free
 * accesses: read of the table's entry, free by the reaper, read of the session
 * natively: rare, and without a trace when it happens
 * twins:    -DFIXED marks the session as used while it holds the lock
 * sizes:    requests of each worker, sessions
 */
#include "subject.h"

#define WORKERS 2
#define SESSIONS_MAX 64

struct session {
	int users;
	int idle;
	unsigned balance;
};

struct worker {
	unsigned number;
	unsigned served;
};

static struct session *table[SESSIONS_MAX];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int requests;
static int session_count;

static struct session *session_new(void)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		exit(2);
	return session;
}

static struct session *session_find(int number)
{
	struct session *session;

	pthread_mutex_lock(&table_lock);
	if (!table[number])
		table[number] = session_new();
	session = table[number];
#ifdef FIXED
	session->users++;
#endif
	pthread_mutex_unlock(&table_lock);
	return session;
}

static void session_use(struct session *session, unsigned amount)
{
	pthread_mutex_lock(&table_lock);
	session->balance += amount;
	session->idle = 0;
#ifdef FIXED
	session->users--;
#endif
	pthread_mutex_unlock(&table_lock);
}

static void *worker_run(void *arg)
{
	struct worker *own = arg;

	for (int i = 0; i < requests; i++) {
		unsigned dice = subject_work(own->number + (unsigned)i, 3000);
		int which = (int)(dice % (unsigned)session_count);
		struct session *session = session_find(which);

		session_use(session, dice % 100);
		own->served++;
	}
	return NULL;
}

/* The second visit to a session that nobody used in between is its last. */
static void table_reap(void)
{
	for (int i = 0; i < session_count; i++) {
		pthread_mutex_lock(&table_lock);
		if (table[i] && !table[i]->users && table[i]->idle++) {
			free(table[i]);
			table[i] = NULL;
		}
		pthread_mutex_unlock(&table_lock);
	}
}

static void *reaper_run(void *arg)
{
	for (int i = 0; i < requests + 1; i++) {
		subject_work((unsigned)i, 3000);
		table_reap();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct worker workers[WORKERS] = { { 5, 0 }, { 50, 0 } };
	pthread_t threads[WORKERS], reaper;

	requests = subject_size(argc, argv, 1, 2);
	session_count = subject_size(argc, argv, 2, 2);
	if (session_count > SESSIONS_MAX)
		return 2;
	for (int i = 0; i < session_count; i++)
		table[i] = session_new();
	for (int i = 0; i < WORKERS; i++)
		subject_start(&threads[i], worker_run, &workers[i]);
	subject_start(&reaper, reaper_run, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(reaper, NULL);
	for (int i = 0; i < session_count; i++)
		free(table[i]);
	printf("%u requests\n", workers[0].served + workers[1].served);
	return 0;
}
