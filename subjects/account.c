/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts with a monitor each. Depositing and withdrawing hold it; so does a
 * transfer, but only that of the account that pays, while it changes both.
 *
 * bug:      RV-CAUSAL Table 1, Account
 * kind:     atomicity violation, one variable (LOCON row 5: R W W)
 * threads:  main and 2 customers
 * failure:  assertion: the sum of all balances has changed
 * accesses: read of the receiver's balance, write of it by its own customer,
 *           write of it
 * natively: rare, three instructions
 * twins:    -DPARTIAL moves the transfer into a function of its own and checks
 *           it, with one monitor still; -DFIXED holds both monitors, the lower
 *           number first
 * sizes:    orders of each customer, parts of an order that are done
 */
#include <assert.h>

#include "subject.h"

#define CUSTOMERS 2

struct account {
	pthread_mutex_t monitor;
	int number;
	volatile long balance;
	long brought; /* by its customer */
};

static struct account accounts[CUSTOMERS];
static int orders;
static int parts;

#ifdef PARTIAL
static long transfers_refused;

static int transfer_is_good(const struct account *from, long amount)
{
	return amount >= 0 && from->number >= 0;
}

/* The monitor of `from` is held. */
static void transfer_book(struct account *from, struct account *to, long amount)
{
	if (!transfer_is_good(from, amount)) {
		transfers_refused++;
		return;
	}
	from->balance -= amount;
	to->balance += amount;
}
#endif

static void account_deposit(struct account *account, long amount)
{
	pthread_mutex_lock(&account->monitor);
	account->balance += amount;
	pthread_mutex_unlock(&account->monitor);
}

static void account_withdraw(struct account *account, long amount)
{
	pthread_mutex_lock(&account->monitor);
	account->balance -= amount;
	pthread_mutex_unlock(&account->monitor);
}

static void account_transfer(struct account *from, struct account *to,
			     long amount)
{
#if defined(PARTIAL)
	pthread_mutex_lock(&from->monitor);
	transfer_book(from, to, amount);
	pthread_mutex_unlock(&from->monitor);
#elif defined(FIXED)
	struct account *first = from->number < to->number ? from : to;
	struct account *second = first == from ? to : from;

	pthread_mutex_lock(&first->monitor);
	pthread_mutex_lock(&second->monitor);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&second->monitor);
	pthread_mutex_unlock(&first->monitor);
#else
	pthread_mutex_lock(&from->monitor);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&from->monitor);
#endif
}

/* In this order, as in the program that the paper took. */
static void *customer_run(void *arg)
{
	struct account *own = arg;
	struct account *other = &accounts[(own->number + 1) % CUSTOMERS];

	for (int i = 0; i < orders; i++) {
		long amount = (long)(subject_work((unsigned)i, 2000) % 90) + 10;

		account_deposit(own, amount);
		own->brought += amount;
		if (parts > 2) {
			account_withdraw(own, amount / 3);
			own->brought -= amount / 3;
		}
		if (parts > 1)
			account_transfer(own, other, amount / 3);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[CUSTOMERS];
	long sum = 0;

	orders = subject_size(argc, argv, 1, 2);
	parts = subject_size(argc, argv, 2, 3);
	for (int i = 0; i < CUSTOMERS; i++) {
		pthread_mutex_init(&accounts[i].monitor, NULL);
		accounts[i].number = i;
		accounts[i].balance = 100;
	}
	for (int i = 0; i < CUSTOMERS; i++)
		subject_start(&threads[i], customer_run, &accounts[i]);
	for (int i = 0; i < CUSTOMERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CUSTOMERS; i++)
		sum += accounts[i].balance - accounts[i].brought;
	assert(sum == 100L * CUSTOMERS);
	printf("%ld altogether\n", sum);
	return 0;
}
