/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal comes between the look at the flag and pause, which then waits for
 * another one.
 * expect: deadlock
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void handle(int signal)
{
	(void)signal;
	asked = 1;
}

static void *ask(void *waiter)
{
	pthread_kill(*(pthread_t *)waiter, SIGUSR1);
	return NULL;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };
	pthread_t self = pthread_self(), asker;
#ifdef FIXED
	sigset_t set, usual;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &usual);
#endif
	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&asker, NULL, ask, &self);
	while (!asked)
#ifdef FIXED
		sigsuspend(&usual);
#else
		pause();
#endif
	pthread_join(asker, NULL);
	return 0;
}
