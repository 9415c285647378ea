/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is long in starting up, and says when it is done. With
 * "early" it has a thread by then, with "connected" a connection as well, with
 * "never" it does not say so.
 *
 * expect: held; started once for all runs, but afresh for each if it has a
 * connection, which cannot be made again, or is never ready
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heddle.h"

static atomic_int count;

static pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_mutex_lock(&start);
	pthread_mutex_unlock(&start);
	atomic_fetch_add(&count, 1);
	return arg;
}

static int connect_to_itself(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return bind(listener, (struct sockaddr *)&at, size) == 0 &&
	       listen(listener, 1) == 0 &&
	       getsockname(listener, (struct sockaddr *)&at, &size) == 0 &&
	       connect(fd, (struct sockaddr *)&at, size) == 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	FILE *starts = argc > 1 ? fopen(argv[1], "a") : NULL;

	if (starts) {
		fprintf(starts, "started\n");
		fclose(starts);
	}
	pthread_mutex_lock(&start);
	if (argc > 2)
		pthread_create(&threads[0], NULL, work, NULL);
	if (argc > 2 && !strcmp(argv[2], "connected") && !connect_to_itself())
		return 2;
	if (argc <= 2 || strcmp(argv[2], "never") != 0)
		heddle_ready();
	pthread_mutex_unlock(&start);
	if (argc <= 2)
		pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&count) == 2 ? 0 : 1;
}
