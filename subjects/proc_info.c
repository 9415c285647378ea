/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database server tells what its sessions are doing. A session sets the text
 * of its state while it works and removes it when it is idle; the status
 * command looks whether there is a text and then prints it.
 *
 * bug:      LOCON Table 3, MySQL-4
 * kind:     atomicity violation, one variable (LOCON row 6: R W R)
 * threads:  main, 2 sessions, 1 status command
 * failure:  null pointer dereference (signal 11)
 * accesses: read of session->info, write of NULL by the session, read of
 *           session->info
 * natively: rare, two loads one after the other
 * twins:    -DFIXED reads it once
 * sizes:    queries of each session, rounds of work in a query
 */
#include <string.h>

#include "subject.h"

#define SESSIONS 2

struct session {
	const char *volatile info;
	unsigned number;
	unsigned result;
};

struct status {
	char text[64];
	size_t length;
	unsigned idle;
};

static struct session sessions[SESSIONS];
static int queries;
static int effort;

static void session_query(struct session *session, unsigned seed)
{
	unsigned rows = seed;

	session->info = "reading";
	rows = subject_work(rows, (unsigned)effort);
	session->info = "sorting";
	rows = subject_work(rows, (unsigned)effort / 2);
	session->info = "sending";
	session->result ^= rows;
	session->info = NULL;
}

static void *session_run(void *arg)
{
	struct session *session = arg;

	for (int i = 0; i < queries; i++)
		session_query(session, session->number * 97 + (unsigned)i);
	return NULL;
}

static void status_add(struct status *status, const char *text)
{
	size_t length = strlen(text);

	if (status->length + length + 1 >= sizeof(status->text))
		return;
	memcpy(status->text + status->length, text, length);
	status->length += length;
	status->text[status->length++] = '\n';
}

static void status_session(struct status *status, struct session *session)
{
#ifdef FIXED
	const char *info = session->info;

	if (info)
		status_add(status, info);
	else
		status->idle++;
#else
	if (session->info)
		status_add(status, session->info);
	else
		status->idle++;
#endif
}

static void *status_run(void *arg)
{
	struct status *status = arg;

	for (int i = 0; i < queries; i++) {
		subject_work((unsigned)i, (unsigned)effort);
		for (int j = 0; j < SESSIONS; j++)
			status_session(status, &sessions[j]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[SESSIONS], command;
	struct status status = { .length = 0 };

	queries = subject_size(argc, argv, 1, 2);
	effort = subject_size(argc, argv, 2, 3000);
	for (unsigned i = 0; i < SESSIONS; i++) {
		sessions[i].number = i;
		subject_start(&threads[i], session_run, &sessions[i]);
	}
	subject_start(&command, status_run, &status);
	for (int i = 0; i < SESSIONS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(command, NULL);
	printf("%zu characters of status, %u idle\n", status.length,
	       status.idle);
	return 0;
}
