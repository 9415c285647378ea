/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

static int balance;

static void *deposit(void *amount)
{
	balance += *(int *)amount;
	return NULL;
}

int main(void)
{
	int amounts[2] = { 30, 70 };
	pthread_t clerk[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&clerk[i], NULL, deposit, &amounts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(clerk[i], NULL);
	return balance == 100 ? 0 : 1;
}
