/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two clerks sell the last ticket. Every access is locked, and it goes wrong
 * all the same: docs/tutorial.md finds out why.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 1;

static int tickets_left(void)
{
	int left;

	pthread_mutex_lock(&lock);
	left = tickets;
	pthread_mutex_unlock(&lock);
	return left;
}

static void ticket_take(void)
{
	pthread_mutex_lock(&lock);
	tickets--;
	pthread_mutex_unlock(&lock);
}

static void *clerk(void *arg)
{
	if (tickets_left() > 0)
		ticket_take();
	return arg;
}

int main(void)
{
	pthread_t clerks[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&clerks[i], NULL, clerk, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(clerks[i], NULL);
	assert(tickets >= 0);
	return 0;
}
