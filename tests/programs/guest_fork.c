/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child made by fork, beside running threads, is a program of its own: it
 * locks, allocates and starts threads, and nothing of that is recorded.
 *
 * count: 3 fork
 */
#include "guest_check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int count, prepared, in_child;

static void *work(void *unused)
{
	while (!stop) {
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *work_in_child(void *result)
{
	char *copy = strdup("in the child");

	in_child++;
	free(copy);
	return result;
}

static void child(void)
{
	pthread_t thread;
	void *result;

	CHECK(in_child == 1);
	CHECK(pthread_create(&thread, NULL, work_in_child, &thread) == 0);
	CHECK(pthread_join(thread, &result) == 0 && result == &thread);
	CHECK(in_child == 2);
	exit(7);
}

static void before(void)
{
	pthread_mutex_lock(&mutex);
	prepared++;
}

static void after(void)
{
	pthread_mutex_unlock(&mutex);
}

static void after_in_child(void)
{
	in_child++;
	after();
}

int main(void)
{
	pthread_t threads[2];

	pthread_atfork(before, after, after_in_child);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (int i = 1; i <= 3; i++) {
		int status;
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid)
			child();
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
		CHECK(prepared == i && in_child == 0);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return passed();
}
