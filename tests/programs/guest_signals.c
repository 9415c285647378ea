/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handler that locks and allocates strikes a program that only uses memory,
 * again and again: it may have interrupted the guest, but must not notice.
 *
 * at least: 200 signal-begin
 * at least: 200 signal-end
 */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

enum { WANTED = 200, THREADS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int handled;
static int in_handler;
static atomic_long steps;
static long tables[1 + THREADS][4096];

/* The mutex is used by handlers only, and no handler interrupts another. */
static void handle(int signal, siginfo_t *info, void *machine)
{
	int kept = errno;
	char *block = malloc(64);

	CHECK(signal == SIGALRM && info->si_signo == SIGALRM && machine);
	strcpy(block, "in a handler");
	pthread_mutex_lock(&mutex);
	in_handler++;
	pthread_mutex_unlock(&mutex);
	free(block);
	handled++;
	errno = kept;
}

static void walk(long *table, int n)
{
	for (int i = 0; i < 4096; i++)
		table[i] += n;
	steps++;
	if (n)
		walk(table, n - 1);
}

static void *work(void *table)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (handled < WANTED)
		walk(table, 3);
	return table;
}

int main(void)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } };
	struct sigaction act = { .sa_sigaction = handle,
				 .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t threads[THREADS];

	CHECK(sigaction(SIGALRM, &act, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, tables[1 + i]) ==
		      0);
	CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	errno = 1234;
	while (handled < WANTED)
		walk(tables[0], 3);
	CHECK(errno == 1234);
	memset(&timer, 0, sizeof(timer));
	CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(in_handler == handled);
	return passed();
}
