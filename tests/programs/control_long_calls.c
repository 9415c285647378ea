/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule
 *
 * A thread that does nothing but call the system, again and again, is cancelled
 * and gets its signals.
 */
#include "guest_check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t asked;

static void handle(int signal)
{
	(void)signal;
	asked = 1;
}

static void *call_for_ever(void *unused)
{
	for (;;)
		CHECK(system("true") == 0);
	return unused;
}

static void *call_until_asked(void *unused)
{
	while (!asked)
		CHECK(system("true") == 0);
	return unused;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle };
	pthread_t thread;
	void *result;

	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&thread, NULL, call_for_ever, NULL);
	pthread_cancel(thread);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED);
	pthread_create(&thread, NULL, call_until_asked, NULL);
	pthread_kill(thread, SIGUSR1);
	CHECK(pthread_join(thread, &result) == 0);
	return 0;
}
