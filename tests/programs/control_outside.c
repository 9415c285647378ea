/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule; with a word on the command line broken
 * assertion `!busy' in handle, under some schedules, and the schedule can be
 * followed
 *
 * Signals from another process strike a program whose threads stand still, wait
 * for signals, or run. The handler has shared accesses.
 */
#include "guest_check.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int handled, busy, over;
static int careful = 1, rounds;

static void handle(int signal)
{
	(void)signal;
	if (!careful)
		assert(!busy);
	handled = 1;
}

static void *run(void *unused)
{
	(void)unused;
	while (!over) {
		pthread_mutex_lock(&mutex);
		busy = 1;
		rounds++;
		busy = 0;
		pthread_mutex_unlock(&mutex);
		usleep(100);
	}
	return NULL;
}

static void *take(void *signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigwait(&set, signal);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = handle };
	pthread_t runner, taker;
	pid_t child, parent = getpid();
	int signal = 0;
	sigset_t set;

	(void)argv;
	careful = argc == 1;
	sigaction(SIGUSR1, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&runner, NULL, run, NULL);
	pthread_create(&taker, NULL, take, &signal);
	child = fork();
	if (child == 0) {
		kill(parent, SIGUSR1);
		kill(parent, SIGUSR2);
		_exit(0);
	}
	while (!handled)
		usleep(1000);
	pthread_join(taker, NULL);
	CHECK(signal == SIGUSR2);
	over = 1;
	pthread_join(runner, NULL);
	CHECK(waitpid(child, NULL, 0) == child);
	return 0;
}
