/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcached and its clients in one process, so that all of them are under
 * control: memcached's main() is called memcached_main() and linked to this
 * one. Two connections increment a counter that is 9, once each or as often as
 * the argument says; with one it has to be 11 then.
 *
 * The process ends with status 0 if it is, 1 if it is not, 2 if the two could
 * not talk.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int memcached_main(int argc, char **argv);

#define SOCKET_NAME "cached"

static int times = 1;

static int attempt(void)
{
	struct sockaddr_un where = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(where.sun_path, SOCKET_NAME, sizeof(SOCKET_NAME));
	if (connect(fd, (struct sockaddr *)&where, sizeof(where)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void talk(int fd, const char *request, const char *end, char *answer,
		 size_t size)
{
	size_t have = 0;
	ssize_t got;

	if (write(fd, request, strlen(request)) < 0)
		exit(2);
	do {
		got = read(fd, answer + have, size - 1 - have);
		if (got <= 0)
			exit(2);
		have += (size_t)got;
		answer[have] = '\0';
	} while (!strstr(answer, end));
}

static void *increment(void *nothing)
{
	char answer[256];
	int fd = attempt();

	if (fd < 0)
		exit(2);
	for (int i = 0; i < times; i++)
		talk(fd, "incr count 1\r\n", "\r\n", answer, sizeof(answer));
	close(fd);
	return nothing;
}

/* Nobody says when the server listens. */
static int first_connection(void)
{
	struct timespec moment = { .tv_nsec = 10000000 };
	int fd = -1;

	for (int i = 0; i < 1000 && fd < 0; i++) {
		nanosleep(&moment, NULL);
		fd = attempt();
	}
	if (fd < 0)
		exit(2);
	return fd;
}

static void *clients(void *nothing)
{
	char answer[256], want[32];
	pthread_t thread[2];
	int fd = first_connection();

	(void)nothing;
	talk(fd, "set count 0 0 1\r\n9\r\n", "STORED", answer, sizeof(answer));
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, increment, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	talk(fd, "get count\r\n", "END\r\n", answer, sizeof(answer));
	snprintf(want, sizeof(want), "\r\n%d\r\n", 9 + 2 * times);
	if (!strstr(answer, want)) {
		fprintf(stderr, "9 and %d increments: %s", 2 * times, answer);
		_exit(1);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	static char *arguments[] = {
		"memcached",
		"-u",
		"root",
		"-s",
		SOCKET_NAME,
		"-t",
		"2",
		"-m",
		"8",
		"-U",
		"0",
		"-o",
		"no_lru_maintainer,no_lru_crawler,no_hashexpand,"
		"no_slab_reassign",
		NULL
	};
	pthread_t thread;

	if (argc > 1)
		times = atoi(argv[1]);
	pthread_create(&thread, NULL, clients, NULL);
	return memcached_main(sizeof(arguments) / sizeof(*arguments) - 1,
			      arguments);
}
