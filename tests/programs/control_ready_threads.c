/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When it says that it is ready, its threads wait: for a condition, a
 * semaphore, an epoll, a pipe, a pair of sockets, a time; one of them holds a
 * mutex that asks who it is. Each goes on from there, with its stack, its
 * thread-local values and what its descriptors held, in every run alike, and is
 * joined.
 *
 * expect: held; started once for all runs. With an argument a thread is late in
 * one schedule of several, which breaks it.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "heddle.h"

enum { THREADS = 6 };

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "line %d: %s\n", __LINE__,             \
				#condition);                                   \
			exit(1);                                               \
		}                                                              \
	} while (0)

static __thread long mine;
static __thread char name[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t strict;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int going, pipe_fds[2], pair[2], counter, epoll;
static atomic_int waiting, finished;
static pthread_t ids[THREADS];
static int order[2], ordered;

static void begin(long number)
{
	sigset_t set;

	mine = number * 1111;
	snprintf(name, sizeof(name), "thread %ld", number);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1 + (int)number % 2 * (SIGUSR2 - SIGUSR1));
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	atomic_fetch_add(&waiting, 1);
}

static void end(long number)
{
	char expected[16];
	sigset_t set;

	snprintf(expected, sizeof(expected), "thread %ld", number);
	CHECK(mine == number * 1111 && strcmp(name, expected) == 0);
	CHECK(pthread_equal(pthread_self(), ids[number]));
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	CHECK(sigismember(&set, SIGUSR1) == (number % 2 == 0));
	CHECK(sigismember(&set, SIGUSR2) == (number % 2 == 1));
	atomic_fetch_add(&finished, 1);
}

static void *in_condition(void *arg)
{
	begin((long)arg);
	CHECK(pthread_mutex_lock(&strict) == 0);
	pthread_mutex_lock(&lock);
	while (!going)
		pthread_cond_wait(&go, &lock);
	order[ordered++] = 0;
	pthread_mutex_unlock(&lock);
	CHECK(pthread_mutex_lock(&strict) == EDEADLK);
	CHECK(pthread_mutex_unlock(&strict) == 0);
	end((long)arg);
	return arg;
}

static void *in_semaphore(void *arg)
{
	begin((long)arg);
	while (sem_wait(&semaphore) != 0)
		;
	end((long)arg);
	return arg;
}

static void *in_epoll(void *arg)
{
	struct epoll_event events[4];
	uint64_t count;

	begin((long)arg);
	CHECK(epoll_wait(epoll, events, 4, -1) == 1);
	CHECK(events[0].data.u64 == 0x123456789abcdef);
	CHECK(read(counter, &count, sizeof(count)) == sizeof(count));
	CHECK(count == 5);
	end((long)arg);
	return arg;
}

static void *in_pipe(void *arg)
{
	char text[8] = "";

	begin((long)arg);
	CHECK(read(pipe_fds[0], text, 1) == 1);
	CHECK(text[0] == 'b');
	CHECK(read(pipe_fds[0], text, 1) == 1);
	CHECK(text[0] == 'c');
	end((long)arg);
	return arg;
}

static void *in_pair(void *arg)
{
	char text[8];

	begin((long)arg);
	CHECK(read(pair[0], text, sizeof(text)) == 2);
	CHECK(write(pair[0], text, 2) == 2);
	end((long)arg);
	return arg;
}

static void *in_time(void *arg)
{
	struct timespec moment = { .tv_nsec = 50000000 };

	begin((long)arg);
	CHECK(nanosleep(&moment, NULL) == 0);
	pthread_mutex_lock(&lock);
	order[ordered++] = 1;
	pthread_mutex_unlock(&lock);
	end((long)arg);
	return arg;
}

static void *(*const routines[THREADS])(void *) = {
	in_condition, in_semaphore, in_epoll, in_pipe, in_pair, in_time,
};

static void start(void)
{
	struct epoll_event event = { .events = EPOLLIN,
				     .data.u64 = 0x123456789abcdef };
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&strict, &attr);
	CHECK(sem_init(&semaphore, 0, 0) == 0 && pipe(pipe_fds) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	counter = eventfd(0, 0);
	epoll = epoll_create1(0);
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event) == 0);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_create(&ids[i], NULL, routines[i], (void *)i) ==
		      0);
	while (atomic_load(&waiting) < THREADS)
		usleep(1000);
}

static void *extra(void *arg)
{
	CHECK(mine == 0);
	return arg;
}

int main(int argc, char **argv)
{
	uint64_t five = 5;
	char text[8] = "";
	pthread_t late;
	void *result;

	if (argc > 1) {
		FILE *starts = fopen(argv[1], "a");

		fprintf(starts, "started\n");
		fclose(starts);
	}
	start();
	heddle_ready();
	pthread_mutex_lock(&lock);
	going = 1;
	pthread_cond_signal(&go);
	pthread_mutex_unlock(&lock);
	sem_post(&semaphore);
	CHECK(write(counter, &five, sizeof(five)) == sizeof(five));
	CHECK(write(pipe_fds[1], "bc", 2) == 2);
	CHECK(write(pair[1], "hi", 2) == 2);
	CHECK(read(pair[1], text, sizeof(text)) == 2);
	CHECK(pthread_create(&late, NULL, extra, NULL) == 0);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_join(ids[i], &result) == 0 &&
		      result == (void *)i);
	CHECK(pthread_join(late, NULL) == 0);
	CHECK(atomic_load(&finished) == THREADS);
	if (argc > 2)
		CHECK(order[0] == 0);
	return 0;
}
