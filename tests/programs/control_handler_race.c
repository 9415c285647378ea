/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: broken assertion `total == 1 + handled', under some schedules
 *
 * A handler strikes between reading and writing a counter in the thread it
 * interrupts, and its own count is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile int total, handled;

static void handle(int signal)
{
	(void)signal;
	handled = 1;
	total++;
}

static void *count(void *unused)
{
	(void)unused;
	total++;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, count, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	assert(total == 1 + handled);
	return 0;
}
