/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database appends statements to its binary log and publishes how far the
 * log is valid: its number of events and its size. A replication thread takes
 * both and sends what lies before them.
 *
 * bug:      LOCON Table 3, MySQL-1 extracted
 * kind:     atomicity violation, two variables (LOCON row 10: Wx Wy / Rx Ry)
 * threads:  main, 2 sessions, 1 sender
 * failure:  wrong result (exit status 1): events and size do not belong
 *           together
 * accesses: write of events, read of events and read of size by the sender,
 *           write of size
 * natively: rare, a store and the next one
 * twins:    -DFIXED publishes and reads both under a lock
 * sizes:    statements of each session, looks of the sender
 */
#include <stdatomic.h>

#include "subject.h"

#define SESSIONS 2
/* Every event has one size, so that the sender can tell. */
#define EVENT_SIZE 19

struct binlog {
	pthread_mutex_t append;
	pthread_mutex_t publish;
	_Atomic unsigned events;
	_Atomic unsigned size;
	unsigned checksum;
};

static struct binlog binlog = { .append = PTHREAD_MUTEX_INITIALIZER,
				.publish = PTHREAD_MUTEX_INITIALIZER };
static int statements;
static int looks;

static void publish_begin(void)
{
#ifdef FIXED
	pthread_mutex_lock(&binlog.publish);
#endif
}

static void publish_end(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&binlog.publish);
#endif
}

static void binlog_append(unsigned statement)
{
	pthread_mutex_lock(&binlog.append);
	binlog.checksum ^= statement;
	publish_begin();
	atomic_fetch_add(&binlog.events, 1);
	atomic_fetch_add(&binlog.size, EVENT_SIZE);
	publish_end();
	pthread_mutex_unlock(&binlog.append);
}

static void *session_run(void *arg)
{
	unsigned seed = *(unsigned *)arg;

	for (int i = 0; i < statements; i++) {
		seed = subject_work(seed + (unsigned)i, 2000);
		binlog_append(seed);
	}
	return NULL;
}

static void *sender_run(void *arg)
{
	unsigned *sent = arg;

	for (int i = 0; i < looks; i++) {
		unsigned events, size;

		subject_work((unsigned)i, 2500);
		publish_begin();
		events = atomic_load(&binlog.events);
		size = atomic_load(&binlog.size);
		publish_end();
		if (size != events * EVENT_SIZE)
			subject_wrong("%u events of %d bytes are %u bytes",
				      events, EVENT_SIZE, size);
		*sent = events;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned seeds[SESSIONS] = { 17, 4711 };
	pthread_t sessions[SESSIONS], sender;
	unsigned sent = 0;

	statements = subject_size(argc, argv, 1, 2);
	looks = subject_size(argc, argv, 2, 2);
	for (int i = 0; i < SESSIONS; i++)
		subject_start(&sessions[i], session_run, &seeds[i]);
	subject_start(&sender, sender_run, &sent);
	for (int i = 0; i < SESSIONS; i++)
		pthread_join(sessions[i], NULL);
	pthread_join(sender, NULL);
	printf("%u of %u events sent\n", sent, atomic_load(&binlog.events));
	return 0;
}
