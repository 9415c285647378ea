/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads add to a balance; an update is lost when one comes between the
 * other's read and write.
 *
 * expect: broken assertion
 */
#include <assert.h>
#include <pthread.h>

static int balance;
static int entries;
static pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int seen = balance;

		balance = seen + 10;
		pthread_mutex_lock(&book);
		entries++;
		pthread_mutex_unlock(&book);
	}
	return arg;
}

int main(void)
{
	pthread_t clerks[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&clerks[i], NULL, deposit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(clerks[i], NULL);
	assert(entries == 6);
	assert(balance == 60);
	return 0;
}
