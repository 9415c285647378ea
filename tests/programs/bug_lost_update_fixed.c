/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads add to a balance, which a mutex protects.
 *
 * expect: held
 */
#include <assert.h>
#include <pthread.h>

static int balance;
static int entries;
static pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&book);
		balance += 10;
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
