/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server whose threads are there before it listens: two workers wait at an
 * epoll each, the first thread accepts and hands connections to them by turns,
 * through pipes. A request is a line, "add": it adds one to a number, in two
 * steps (split) or in one, and the reply is the number.
 *
 *   linear_pool FILE SOCKET split|whole|connected|restless
 *
 * FILE gets a line for each start. connected: it has a connection to itself
 * when it is ready, which cannot be made anew. restless: it works for ever
 * before it listens.
 *
 * expect: by tests/e2e/linear_ready.sh
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;
static int handed[2][2]; /* a pipe for each worker */

static int is(const char *word)
{
	return strcmp(how, word) == 0;
}

static int add(void)
{
	int mine;

	pthread_mutex_lock(&lock);
	mine = number + 1;
	if (is("split")) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	number = mine;
	pthread_mutex_unlock(&lock);
	return mine;
}

static void serve(int fd)
{
	char text[64];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);
	int size;

	if (n <= 0) {
		close(fd);
		return;
	}
	size = snprintf(text, sizeof(text), "%d\n", add());
	send(fd, text, (size_t)size, MSG_NOSIGNAL);
}

static void watch(int epoll, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

static void *work(void *arg)
{
	int from = handed[(intptr_t)arg][0], epoll = epoll_create1(0);
	struct epoll_event e;
	int client;

	watch(epoll, from);
	while (epoll_wait(epoll, &e, 1, -1) == 1) {
		if (e.data.fd != from)
			serve(e.data.fd);
		else if (read(from, &client, sizeof(client)) == sizeof(client))
			watch(epoll, client);
	}
	return NULL;
}

static void told_start(const char *path)
{
	FILE *f = fopen(path, "a");

	if (f) {
		fputs("started\n", f);
		fclose(f);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), client, own;

	if (argc < 4)
		return 2;
	how = argv[3];
	told_start(argv[1]);
	while (is("restless")) {
		pthread_mutex_lock(&lock);
		number++;
		pthread_mutex_unlock(&lock);
	}
	for (intptr_t i = 0; i < 2; i++) {
		pthread_t thread;

		if (pipe(handed[i]) < 0 ||
		    pthread_create(&thread, NULL, work, (void *)i))
			return 1;
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", argv[2]);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(fd, 8) < 0)
		return 1;
	if (is("connected")) {
		own = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(own, (struct sockaddr *)&at, sizeof(at)) < 0 ||
		    accept(fd, NULL, NULL) < 0)
			return 1;
	}
	for (int turn = 0;; turn = !turn) {
		client = accept(fd, NULL, NULL);
		if (client < 0 || write(handed[turn][1], &client,
					sizeof(client)) != sizeof(client))
			return 1;
	}
}
