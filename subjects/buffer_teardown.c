/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections with a buffer that is released when either side hangs up: the
 * reading thread when it sees the end of the data, the writing thread when it
 * sees the connection closed. Both look whether the buffer is still there.
 *
 * bug:      double free by a race
 * kind:     heap misuse, atomicity violation (LOCON row 6: R W R)
 * threads:  main, 1 reader, 1 writer
 * failure:  double free
 * accesses: read of connection->buffer by both, free by both, write of NULL
 * natively: in some of 1,000 runs to some of 100, by machine and load
 * twins:    -DFIXED takes the buffer out with one exchange
 * sizes:    connections, rounds of work with each
 */
#include <stdatomic.h>
#include <string.h>

#include "subject.h"

#define CONNECTIONS_MAX 10000
#define BUFFER_SIZE 64

struct connection {
	_Atomic(char *) buffer;
	unsigned received;
	unsigned sent;
};

static struct connection connections[CONNECTIONS_MAX];
static _Atomic unsigned released;
static int connection_count;
static int effort;

static void connection_open(struct connection *connection)
{
	char *buffer = malloc(BUFFER_SIZE);

	if (!buffer)
		exit(2);
	memset(buffer, 'x', BUFFER_SIZE);
	atomic_init(&connection->buffer, buffer);
}

static void connection_release(struct connection *connection)
{
#ifdef FIXED
	char *buffer = atomic_exchange(&connection->buffer, NULL);

	if (buffer) {
		free(buffer);
		atomic_fetch_add(&released, 1);
	}
#else
	if (atomic_load(&connection->buffer)) {
		free(atomic_load(&connection->buffer));
		atomic_store(&connection->buffer, NULL);
		atomic_fetch_add(&released, 1);
	}
#endif
}

static void *reader_run(void *arg)
{
	for (int i = 0; i < connection_count; i++) {
		struct connection *connection = &connections[i];

		connection->received =
			subject_work((unsigned)i, (unsigned)effort) % 1000;
		connection_release(connection);
	}
	return arg;
}

static void *writer_run(void *arg)
{
	for (int i = connection_count - 1; i >= 0; i--) {
		struct connection *connection = &connections[i];

		connection->sent =
			subject_work((unsigned)i * 3, (unsigned)effort) % 1000;
		connection_release(connection);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t reader, writer;

	connection_count = subject_size(argc, argv, 1, 3);
	effort = subject_size(argc, argv, 2, 2500);
	if (connection_count > CONNECTIONS_MAX)
		return 2;
	for (int i = 0; i < connection_count; i++)
		connection_open(&connections[i]);
	subject_start(&reader, reader_run, NULL);
	subject_start(&writer, writer_run, NULL);
	pthread_join(reader, NULL);
	pthread_join(writer, NULL);
	printf("%u of %d buffers released\n", atomic_load(&released),
	       connection_count);
	return 0;
}
