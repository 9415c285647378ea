/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tabled: a multi-threaded table server, for PIKE's bugs.
 *
 * From: PIKE, Tables 1 to 5 and Figures 3 to 5 (MySQL 5.0.41).
 * Kind: semantic (list tables against drop: a table that is gone is listed, as
 *   NULL), error (create-like against insert-select: an error about a missing
 *   file), latent semantic (select against insert, delete, truncate: an old
 *   result stays in the query cache for those who ask later).
 * Threads: one for each connection, and the one that accepts.
 * Failure: no crash; wrong replies and wrong state, which `heddle linear` tells
 *   by comparing with requests served one by one (tabled.spec).
 * Accesses: at the head of show, create_like and query_cache_store.
 * Natively: rare, windows are a lock or two wide. Two requests at once: list
 *   against drop and select against insert go wrong in about one of 2,000,
 *   create-like against insert-select in none of 27,000.
 *
 * Three more things look wrong in that comparison and are meant so: descriptors
 * in the table cache for each user at a time; a query cache that rather keeps
 * nothing when in doubt; log entries of OPTIMIZE and FLUSH where they happen to
 * be written. tabled.spec has their rules.
 *
 * A line is a request, and the last line of a reply begins with OK or ERROR:
 * CREATE T, CREATE T LIKE U, DROP T, SHOW [PART], INSERT T KEY VALUE,
 * INSERT T SELECT U, SELECT T, GET T KEY, COUNT T, DELETE T KEY, TRUNCATE T,
 * OPTIMIZE T, FLUSH. Files are in the working directory.
 *
 *   tabled unix:PATH|tcp:PORT [ROUNDS]    ROUNDS: of work before it is ready
 */
#include "tabled.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void reply_add(struct reply *r, const char *format, ...)
{
	size_t left = sizeof(r->text) - r->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(r->text + r->used, left, format, args);
	va_end(args);
	if (n > 0)
		r->used += (size_t)n < left ? (size_t)n : left - 1;
}

/* ---- connections ---- */

static bool send_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = send(fd, text, size, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		text += n;
		size -= (size_t)n;
	}
	return true;
}

static bool serve_line(int fd, const char *line)
{
	struct reply *r = calloc(1, sizeof(*r));
	bool sent;

	if (!r)
		abort();
	heddle_request_begin(line, strlen(line));
	statement_serve(line, r);
	heddle_request_end(r->text, r->used);
	sent = send_all(fd, r->text, r->used);
	free(r);
	return sent;
}

static void *serve_client(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char text[4 * LINE_MOST];
	size_t used = 0;

	for (;;) {
		char *newline = memchr(text, '\n', used);
		size_t length;
		ssize_t n;

		if (newline) {
			*newline = '\0';
			length = (size_t)(newline - text);
			if (length >= LINE_MOST || !serve_line(fd, text))
				break;
			used -= length + 1;
			memmove(text, newline + 1, used);
			continue;
		}
		if (used == sizeof(text))
			break;
		n = recv(fd, text + used, sizeof(text) - used, 0);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	close(fd);
	return NULL;
}

static int listen_at(const char *address)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	struct sockaddr_in net = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	bool is_unix = strncmp(address, "unix:", 5) == 0;
	int fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0), one = 1;
	int rc;

	if (is_unix) {
		snprintf(local.sun_path, sizeof(local.sun_path), "%s",
			 address + 5);
		unlink(local.sun_path);
		rc = bind(fd, (struct sockaddr *)&local, sizeof(local));
	} else {
		net.sin_port = htons((uint16_t)atoi(address + 4));
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		rc = bind(fd, (struct sockaddr *)&net, sizeof(net));
	}
	if (rc < 0 || listen(fd, 16) < 0) {
		perror(address);
		return -1;
	}
	return fd;
}

/* ---- starting ---- */

/* As a server that reads its files: work that takes a while. */
static uint64_t start_up(unsigned long rounds)
{
	uint64_t sum = 1;

	for (unsigned long i = 0; i < rounds; i++)
		for (int k = 0; k < 1000; k++)
			sum = (sum ^ i) * UINT64_C(0x9e3779b97f4a7c15) + sum;
	return sum;
}

int main(int argc, char **argv)
{
	volatile uint64_t sum;
	int fd;

	if (argc < 2 || (strncmp(argv[1], "unix:", 5) != 0 &&
			 strncmp(argv[1], "tcp:", 4) != 0)) {
		fprintf(stderr, "usage: tabled unix:PATH|tcp:PORT [ROUNDS]\n");
		return 2;
	}
	sum = start_up(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
	(void)sum;
	heddle_state_summary(state_tell, NULL);
	heddle_ready();
	fd = listen_at(argv[1]);
	if (fd < 0)
		return 1;
	for (;;) {
		int client = accept(fd, NULL, NULL);
		pthread_t thread;

		if (client < 0)
			return 1;
		if (pthread_create(&thread, NULL, serve_client,
				   (void *)(intptr_t)client))
			abort();
		pthread_detach(thread);
	}
}
