/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that knows nothing of heddle: it listens, its workers wait, and its
 * clock comes round once. Then it asks itself, over a connection, to add two
 * and two, and ends.
 *
 * expect: held; with --ready idle started once for all runs
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS = 3 };

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "line %d: %s\n", __LINE__,             \
				#condition);                                   \
			exit(1);                                               \
		}                                                              \
	} while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queue[8], queued, taken, stop, answers;
static struct sockaddr_in address = { .sin_family = AF_INET };
static int listener, epoll, bell;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		char asked[2] = "", answer;
		int fd;

		while (!stop && taken == queued)
			pthread_cond_wait(&changed, &lock);
		if (taken == queued)
			break;
		fd = queue[taken++];
		pthread_mutex_unlock(&lock);
		CHECK(recv(fd, asked, 2, MSG_WAITALL) == 2);
		answer = (char)(asked[0] + asked[1]);
		CHECK(write(fd, &answer, 1) == 1);
		close(fd);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void ask(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char text[2] = { 2, 2 };

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(write(fd, text, 2) == 2 && read(fd, text, 1) == 1);
	CHECK(text[0] == 4);
	close(fd);
}

static void *housekeeping(void *arg)
{
	uint64_t one = 1;

	sleep(1);
	ask();
	ask();
	CHECK(write(bell, &one, sizeof(one)) == sizeof(one));
	return arg;
}

static void start(const char *starts)
{
	struct epoll_event event = { .events = EPOLLIN };
	socklen_t size = sizeof(address);

	if (starts) {
		FILE *stream = fopen(starts, "a");

		fprintf(stream, "started\n");
		fclose(stream);
	}
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(listener, (struct sockaddr *)&address, size) == 0);
	CHECK(listen(listener, 8) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	bell = eventfd(0, EFD_CLOEXEC);
	event.data.fd = listener;
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0);
	event.data.fd = bell;
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, bell, &event) == 0);
}

static void serve(void)
{
	struct epoll_event event;

	for (;;) {
		int fd;

		CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
		if (event.data.fd == bell)
			break;
		fd = accept(listener, NULL, NULL);
		CHECK(fd >= 0);
		answers++;
		pthread_mutex_lock(&lock);
		queue[queued++] = fd;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS + 1];

	start(argc > 1 ? argv[1] : NULL);
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&threads[i], NULL, worker, NULL) == 0);
	CHECK(pthread_create(&threads[WORKERS], NULL, housekeeping, NULL) == 0);
	serve();
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i <= WORKERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(answers == 2);
	return 0;
}
