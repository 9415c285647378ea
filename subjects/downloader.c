/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A downloader that fetches a file through several connections at a time, from
 * a small HTTP server in the same program. When it is interrupted it saves how
 * much it has got altogether, and where each connection stands, to go on from
 * there another time.
 *
 * bug:      LOCON Table 3, Aget
 * kind:     atomicity violation, two variables (LOCON row 10: Wx Wy / Rx Ry)
 * threads:  main, the server, 2 connections, 1 that waits for the interrupt
 * failure:  wrong result (exit status 1): the saved state disagrees with itself
 * accesses: write of a connection's offset, read of it and read of the total
 *           by the saver, write of the total
 * natively: rare, a store and the next one
 * twins:    -DFIXED counts and saves under one lock
 * sizes:    bytes of the file, bytes of a piece
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "subject.h"

#define CONNECTIONS 2
#define PIECE_MAX 4096

struct connection {
	int from;
	int to;
	_Atomic int offset;
};

struct saved {
	int total;
	int offsets[CONNECTIONS];
};

static struct connection connections[CONNECTIONS];
static _Atomic int total;
static _Atomic int is_stopped;
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *state_file;
static char *content;
static char *download;
static int file_size;
static int piece_size;
static int listener;
static struct sockaddr_in address;

static void state_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&state_lock);
#else
	(void)state_lock;
#endif
}

static void state_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&state_lock);
#endif
}

/* Reads up to the empty line that ends a head; 0 if there is none. */
static int head_read(int fd, char *head, int room)
{
	int length = 0;

	while (length < room - 1 && recv(fd, head + length, 1, 0) == 1) {
		head[++length] = '\0';
		if (length >= 4 && strcmp(head + length - 4, "\r\n\r\n") == 0)
			return length;
	}
	return 0;
}

static void send_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		data += sent;
		size -= (size_t)sent;
	}
}

static void request_answer(int fd)
{
	char head[256];
	int from, to;
	const char *range;

	if (!head_read(fd, head, sizeof(head)))
		return;
	range = strstr(head, "Range: bytes=");
	if (!range || sscanf(range, "Range: bytes=%d-%d", &from, &to) != 2 ||
	    from < 0 || to < from || to >= file_size)
		return;
	snprintf(head, sizeof(head),
		 "HTTP/1.1 206 Partial Content\r\nContent-Length: %d\r\n\r\n",
		 to - from + 1);
	send_all(fd, head, strlen(head));
	send_all(fd, content + from, (size_t)(to - from + 1));
}

/* One request after the other. */
static void *server_run(void *arg)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			exit(2);
		request_answer(fd);
		close(fd);
	}
	return arg;
}

static int server_connect(const struct connection *connection)
{
	char head[256];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		exit(2);
	snprintf(head, sizeof(head),
		 "GET /file HTTP/1.1\r\nRange: bytes=%d-%d\r\n\r\n",
		 connection->from, connection->to);
	send_all(fd, head, strlen(head));
	if (!head_read(fd, head, sizeof(head)) || !strstr(head, " 206 "))
		exit(2);
	return fd;
}

static void connection_count(struct connection *connection, int bytes)
{
	state_enter();
	atomic_fetch_add(&connection->offset, bytes);
	atomic_fetch_add(&total, bytes);
	state_leave();
}

static void *connection_run(void *arg)
{
	struct connection *own = arg;
	int fd = server_connect(own), at = own->from;

	while (at <= own->to && !atomic_load(&is_stopped)) {
		int rest = own->to + 1 - at;
		ssize_t got = recv(
			fd, download + at,
			(size_t)(rest < piece_size ? rest : piece_size), 0);

		if (got <= 0)
			break;
		at += (int)got;
		connection_count(own, (int)got);
	}
	close(fd);
	return NULL;
}

static void state_save(void)
{
	struct saved saved;

	state_enter();
	for (int i = 0; i < CONNECTIONS; i++)
		saved.offsets[i] = atomic_load(&connections[i].offset);
	saved.total = atomic_load(&total);
	state_leave();
	fwrite(&saved, sizeof(saved), 1, state_file);
	fflush(state_file);
}

/* What was saved last is what the next start goes on from. */
static void state_check(void)
{
	struct saved saved;
	int sum = 0;

	rewind(state_file);
	if (fread(&saved, sizeof(saved), 1, state_file) != 1)
		exit(2);
	for (int i = 0; i < CONNECTIONS; i++) {
		const struct connection *connection = &connections[i];

		sum += saved.offsets[i];
		if (memcmp(download + connection->from,
			   content + connection->from,
			   (size_t)saved.offsets[i]) != 0)
			subject_wrong("connection %d has got nonsense", i);
	}
	if (sum != saved.total)
		subject_wrong("%d bytes saved, but connections have %d",
			      saved.total, sum);
}

static void *saver_run(void *arg)
{
	const sigset_t *interrupts = arg;
	int signal;

	sigwait(interrupts, &signal);
	state_save();
	atomic_store(&is_stopped, 1);
	return NULL;
}

static void server_open(void)
{
	socklen_t length = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    listen(listener, CONNECTIONS))
		exit(2);
}

static void file_make(void)
{
	content = malloc((size_t)file_size);
	download = calloc(1, (size_t)file_size);
	state_file = tmpfile();
	if (!content || !download || !state_file)
		exit(2);
	for (int i = 0; i < file_size; i++)
		content[i] = (char)subject_work((unsigned)i, 1);
}

static void connections_divide(void)
{
	int share = file_size / CONNECTIONS;

	for (int i = 0; i < CONNECTIONS; i++) {
		connections[i].from = i * share;
		connections[i].to = (i + 1) * share - 1;
	}
	connections[CONNECTIONS - 1].to = file_size - 1;
}

int main(int argc, char **argv)
{
	pthread_t server, saver, threads[CONNECTIONS];
	sigset_t interrupts;

	file_size = subject_size(argc, argv, 1, 48);
	piece_size = subject_size(argc, argv, 2, 8);
	file_make();
	connections_divide();
	server_open();
	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupts, NULL);
	subject_start(&server, server_run, NULL);
	for (int i = 0; i < CONNECTIONS; i++)
		subject_start(&threads[i], connection_run, &connections[i]);
	subject_start(&saver, saver_run, &interrupts);
	/* The user presses the key. */
	subject_work(1, 20000);
	kill(getpid(), SIGINT);
	pthread_join(saver, NULL);
	for (int i = 0; i < CONNECTIONS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(server, NULL);
	state_check();
	printf("%d of %d bytes, saved\n", atomic_load(&total), file_size);
	fclose(state_file);
	close(listener);
	free(content);
	free(download);
	return 0;
}
