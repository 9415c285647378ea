/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that echoes lines, and misbehaves as its first argument says: it
 * listens elsewhere (never), ends before (dies), never answers (silent), is busy
 * for long (late), does not end when told to (deaf), and, only when two
 * requests meet, crashes (meet-crash) or does not answer (meet-hang).
 *
 * expect: by tests/e2e/linear_refuses.sh
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *how;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static int is(const char *word)
{
	return strcmp(how, word) == 0;
}

static void spin(void)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		for (volatile int i = 0; i < 10000000; i++)
			;
	}
}

/* Is somebody else between its two locks? */
static int meets(void)
{
	int others;

	pthread_mutex_lock(&lock);
	others = inside++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	inside--;
	pthread_mutex_unlock(&lock);
	return others;
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char text[256];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text), 0)) > 0) {
		int met = meets();

		if (is("late"))
			spin();
		if (met && is("meet-crash"))
			abort();
		if (is("silent") || (met && is("meet-hang")))
			continue;
		if (send(fd, text, (size_t)n, MSG_NOSIGNAL) < 0)
			break;
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t thread;

	if (argc < 3)
		return 2;
	how = argv[1];
	if (is("dies")) {
		fprintf(stderr, "no configuration\n");
		return 7;
	}
	if (is("deaf"))
		signal(SIGTERM, SIG_IGN);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s%s", argv[2],
		 is("never") ? ".elsewhere" : "");
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(fd, 8) < 0)
		return 1;
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client < 0)
			return 1;
		pthread_create(&thread, NULL, serve, (void *)(intptr_t)client);
		pthread_detach(thread);
	}
}
