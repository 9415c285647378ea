/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop over an array, which the guest records as one event that it raises in
 * place, and a handler that does the same to another array and strikes anywhere
 * in between. Says where the arrays are.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

enum { LONG = 4096, SHORT = 256, WANTED = 600 };

static long outer[LONG], inner[SHORT];
static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	for (int i = 0; i < SHORT; i++)
		inner[i]++;
	handled++;
}

/* By two threads, so that it is shared and everything is recorded. */
static void *share(void *p)
{
	for (int i = 0; i < LONG; i++)
		outer[i]++;
	for (int i = 0; i < SHORT; i++)
		inner[i]++;
	return p;
}

static void fill(void)
{
	for (int i = 0; i < LONG; i++)
		outer[i] = i;
}

int main(void)
{
	struct itimerval timer = { { 0, 50 }, { 0, 50 } };
	pthread_t t;

	signal(SIGALRM, handle);
	pthread_create(&t, NULL, share, NULL);
	share(NULL);
	pthread_join(t, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (handled < WANTED)
		fill();
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("handle %p %p\n", (void *)inner, (void *)(inner + SHORT));
	printf("fill %p %p\n", (void *)outer, (void *)(outer + LONG));
	return 0;
}
