/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clerks of tickets.c, and nobody who says what is right: no assertion. A
 * sale is a request with a reply, and the tickets left are the state; heddle
 * linear knows what both may be from serving the same requests one by one.
 */
#include <heddle.h>
#include <pthread.h>
#include <string.h>

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
	const char *reply = "sold out";

	heddle_request_begin("sell", 4);
	if (tickets_left() > 0) {
		ticket_take();
		reply = "here you are";
	}
	heddle_request_end(reply, strlen(reply));
	return arg;
}

int main(void)
{
	pthread_t clerks[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&clerks[i], NULL, clerk, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(clerks[i], NULL);
	heddle_counter_set("tickets", tickets);
	return 0;
}
