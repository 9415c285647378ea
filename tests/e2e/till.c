/* SPDX-License-Identifier: Apache-2.0 */
/* A lost update, which the tests of heddle regress mend by halves. */
#include <assert.h>
#include <pthread.h>

static volatile int cash;

static void pay(int amount)
{
	int before = cash;
	cash = before + amount;
}

static void *customer(void *arg)
{
	pay(5);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, customer, 0);
	pthread_create(&b, 0, customer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(cash == 10);
	return 0;
}
