/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * Calls that signals interrupt: sleeping, semaphores, pause and sigsuspend end
 * with EINTR; a semaphore whose handler wants calls begun again goes on.
 */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static _Atomic int handled;
static sem_t none;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void *wait_for_sem(void *result)
{
	*(int *)result = sem_wait(&none) == 0 ? 0 : errno;
	return NULL;
}

static void *wait_for_signal(void *result)
{
	sigset_t open, usual;

	pthread_sigmask(SIG_BLOCK, NULL, &usual);
	open = usual;
	sigdelset(&open, SIGUSR1);
	*(int *)result = sigsuspend(&open) == -1 ? errno : 0;
	return NULL;
}

static void *sleep_long(void *result)
{
	const struct timespec day = { .tv_sec = 86400 };
	struct timespec rest = { 0 };

	*(int *)result = nanosleep(&day, &rest) == 0 ? 0 : errno;
	return NULL;
}

static int interrupt(void *(*start)(void *), int signal)
{
	pthread_t thread;
	volatile int result = -1;
	int before = handled;

	pthread_create(&thread, NULL, start, (void *)&result);
	while (handled == before && result == -1) {
		pthread_kill(thread, signal);
		sched_yield();
	}
	if (signal == SIGUSR2)
		sem_post(&none);
	pthread_join(thread, NULL);
	return result;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };
	sigset_t set;
	int slept;

	sem_init(&none, 0, 0);
	sigaction(SIGUSR1, &act, NULL);
	act.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(interrupt(wait_for_sem, SIGUSR2) == 0);
	slept = interrupt(sleep_long, SIGUSR1);
	CHECK(slept == EINTR || slept == 0);
	/* Blocked until sigsuspend lets it in, it cannot come too early. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	CHECK(interrupt(wait_for_signal, SIGUSR1) == EINTR);
	return 0;
}
