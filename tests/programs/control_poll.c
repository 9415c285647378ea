/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over poll, epoll and select, fed by two threads, with time limits that
 * pass on the virtual clock.
 *
 * expect: held, without waiting for any real time; the same seed gives the same
 * schedule
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

enum { EACH = 3 };

static int pipes[2][2], counter;

static void *feed(void *arg)
{
	int fd = pipes[(long)arg][1];

	for (int i = 0; i < EACH; i++)
		assert(write(fd, "x", 1) == 1);
	eventfd_write(counter, 1);
	return NULL;
}

static void drink(int fd, int *left)
{
	char c;

	assert(read(fd, &c, 1) == 1);
	(*left)--;
}

static void by_poll(int *left, int end)
{
	while (*left > end) {
		struct pollfd fds[] = { { pipes[0][0], POLLIN, 0 },
					{ pipes[1][0], POLLIN, 0 } };

		assert(poll(fds, 2, -1) > 0);
		for (int i = 0; i < 2; i++)
			if (fds[i].revents & POLLIN)
				drink(fds[i].fd, left);
	}
}

static void by_select(int *left)
{
	struct timeval limit = { .tv_sec = 3600 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(pipes[0][0], &set);
	FD_SET(pipes[1][0], &set);
	if (select(FD_SETSIZE, &set, NULL, NULL, &limit) <= 0)
		return;
	for (int i = 0; i < 2; i++)
		if (FD_ISSET(pipes[i][0], &set))
			drink(pipes[i][0], left);
}

static void by_epoll(int *left)
{
	int epoll = epoll_create1(0);
	struct epoll_event e[2] = { { .events = EPOLLIN, .data.u32 = 0 },
				    { .events = EPOLLIN, .data.u32 = 1 } };

	for (int i = 0; i < 2; i++)
		epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[i][0], &e[i]);
	while (*left > 0) {
		int n = epoll_wait(epoll, e, 2, 3600 * 1000);

		for (int i = 0; i < n; i++)
			drink(pipes[e[i].data.u32][0], left);
	}
	assert(epoll_wait(epoll, e, 2, 3600 * 1000) == 0);
	close(epoll);
}

int main(void)
{
	pthread_t threads[2];
	eventfd_t ends = 0, n;
	int left = 2 * EACH;

	counter = eventfd(0, 0);
	for (long i = 0; i < 2; i++) {
		assert(pipe(pipes[i]) == 0);
		pthread_create(&threads[i], NULL, feed, (void *)i);
	}
	by_poll(&left, 4);
	by_select(&left);
	by_epoll(&left);
	while (ends < 2) {
		assert(eventfd_read(counter, &n) == 0);
		ends += n;
	}
	assert(poll(NULL, 0, 3600 * 1000) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
