/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * A signal to the process may be given to a thread that comes to no point any
 * more. It is handled nevertheless, there or elsewhere.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled = 1;
}

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };
	pthread_t thread;

	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&thread, NULL, nothing, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	while (!handled)
		sched_yield();
	return 0;
}
