/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule, and takes no real time
 *
 * Timers that are descriptors, on virtual time: read, polled, and in an epoll
 * that another thread serves; once and again, set anew, stopped, closed.
 */
#include "guest_check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const struct itimerspec hour = { .it_value = { 3600, 0 } };
static const struct itimerspec hourly = { { 3600, 0 }, { 3600, 0 } };
static const struct itimerspec never;
static int ticker, served;

static uint64_t expired(int fd)
{
	uint64_t count = 0;

	CHECK(read(fd, &count, sizeof(count)) == sizeof(count));
	return count;
}

static void alone(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct itimerspec now = { 0 };
	struct timespec before, after;
	uint64_t count;

	CHECK(fd >= 0);
	CHECK(read(fd, &count, sizeof(count)) == -1 && errno == EAGAIN);
	clock_gettime(CLOCK_MONOTONIC, &before);
	CHECK(timerfd_settime(fd, 0, &hour, NULL) == 0);
	CHECK(timerfd_gettime(fd, &now) == 0);
	CHECK(now.it_value.tv_sec == 3599 || now.it_value.tv_sec == 3600);
	CHECK(poll(&ready, 1, -1) == 1 && ready.revents == POLLIN);
	clock_gettime(CLOCK_MONOTONIC, &after);
	CHECK(after.tv_sec - before.tv_sec >= 3600);
	CHECK(expired(fd) == 1);
	CHECK(poll(&ready, 1, 10) == 0);

	CHECK(timerfd_settime(fd, 0, &hourly, NULL) == 0);
	CHECK(poll(&ready, 1, -1) == 1);
	CHECK(timerfd_settime(fd, 0, &never, &now) == 0);
	CHECK(now.it_interval.tv_sec == 3600);
	CHECK(read(fd, &count, sizeof(count)) == -1 && errno == EAGAIN);

	after.tv_sec += 7200;
	now = (struct itimerspec){ .it_value = after };
	CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &now, NULL) == 0);
	CHECK(poll(&ready, 1, -1) == 1);
	CHECK(timerfd_settime(fd, 0, &hour, NULL) == 0);
	CHECK(close(fd) == 0);
}

static void *serve(void *unused)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };

	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ticker, &event) == 0);
	while (served < 3) {
		CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
		served += (int)expired(ticker);
	}
	CHECK(close(epoll) == 0);
	return unused;
}

static void *wait(void *fd)
{
	CHECK(expired(*(int *)fd) == 1);
	return NULL;
}

int main(void)
{
	int once = timerfd_create(CLOCK_REALTIME, 0);
	pthread_t threads[2];

	alone();
	ticker = timerfd_create(CLOCK_MONOTONIC, 0);
	CHECK(timerfd_settime(ticker, 0, &hourly, NULL) == 0);
	pthread_create(&threads[0], NULL, serve, NULL);
	pthread_create(&threads[1], NULL, wait, &once);
	CHECK(timerfd_settime(once, 0, &hour, NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(timerfd_settime(ticker, 0, &never, NULL) == 0);
	CHECK(served >= 3);
	return passed();
}
