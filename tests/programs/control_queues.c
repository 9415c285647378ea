/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run; with the argument "empty" a deadlock, as nobody
 * sends what is waited for.
 *
 * Message queues: threads wait for messages and for room, and for no longer
 * than they want to.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGES = 12, SIZE = 16, ROOM = 2 };

static mqd_t queue, again;
static int sum;

static void *receive(void *arg)
{
	char message[SIZE];

	for (int i = 0; i < MESSAGES / 2; i++) {
		unsigned int priority = 0;
		ssize_t size = mq_receive(queue, message, SIZE, &priority);

		assert(size == 2 && priority == 3);
		__atomic_fetch_add(&sum, message[0], __ATOMIC_SEQ_CST);
	}
	return arg;
}

static void waits_in_vain(void)
{
	struct timespec until;
	char message[SIZE];

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3600;
	errno = 0;
	assert(mq_timedreceive(queue, message, SIZE, NULL, &until) == -1);
	assert(errno == ETIMEDOUT);
	until.tv_nsec = -1;
	assert(mq_timedreceive(queue, message, SIZE, NULL, &until) == -1);
	assert(errno == EINVAL);
	for (int i = 0; i < ROOM; i++)
		assert(mq_send(queue, "x", 2, 0) == 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3600;
	assert(mq_timedsend(queue, "x", 2, 0, &until) == -1);
	assert(errno == ETIMEDOUT);
	for (int i = 0; i < ROOM; i++)
		assert(mq_receive(queue, message, SIZE, NULL) == 2);
}

static void work(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, receive, NULL);
	for (int i = 0; i < MESSAGES; i++) {
		const char message[] = { (char)i, 0 };

		assert(mq_send(again, message, 2, 3) == 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(sum == MESSAGES * (MESSAGES - 1) / 2);
}

int main(int argc, char **argv)
{
	struct mq_attr attributes = { .mq_maxmsg = ROOM, .mq_msgsize = SIZE };
	char name[64];

	/* Runs beside this one have queues of their own. */
	snprintf(name, sizeof(name), "/heddle-queue-%s", getenv("QUEUE"));
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	again = mq_open(name, O_WRONLY);
	assert(queue >= 0 && again >= 0);
	mq_unlink(name);
	if (argc > 1 && strcmp(argv[1], "empty") == 0)
		receive(NULL);
	waits_in_vain();
	work();
	mq_close(again);
	mq_close(queue);
	return 0;
}
