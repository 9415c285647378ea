/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal is sent to a thread that has not begun yet, and waits for it.
 *
 * expect: held
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *receive(void *arg)
{
	sigset_t *wanted = arg;
	int got = 0;

	assert(sigwait(wanted, &got) == 0);
	assert(got == SIGUSR1);
	return NULL;
}

int main(void)
{
	sigset_t wanted;
	pthread_t receiver;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	pthread_create(&receiver, NULL, receive, &wanted);
	pthread_kill(receiver, SIGUSR1);
	pthread_join(receiver, NULL);
	return 0;
}
