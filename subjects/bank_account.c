/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bank's clerks book deposits and withdrawals on a few accounts. Reading a
 * balance and writing it are safe, each on its own.
 *
 * bug:      LOCON Table 3, b_account
 * kind:     atomicity violation, one variable, no race (LOCON row 5: R W W)
 * threads:  main and 2 clerks
 * failure:  wrong result (exit status 1): money has come or gone
 * accesses: read of balance, write of balance by another, write of balance
 * natively: in one of some hundred runs
 * twins:    -DPARTIAL holds a lock over the whole booking, but deposits and
 *           withdrawals have different ones; -DFIXED holds the account's
 * sizes:    bookings of each clerk, accounts
 */
#include "subject.h"

#define CLERKS 2

struct account {
	pthread_mutex_t lock;
	long balance;
};

struct clerk {
	int number;
	long booked;
	unsigned signature;
};

static struct account *accounts;
static int bookings;
static int account_count;

static long account_read(struct account *account)
{
	long balance;

	pthread_mutex_lock(&account->lock);
	balance = account->balance;
	pthread_mutex_unlock(&account->lock);
	return balance;
}

static void account_write(struct account *account, long balance)
{
	pthread_mutex_lock(&account->lock);
	account->balance = balance;
	pthread_mutex_unlock(&account->lock);
}

#ifdef PARTIAL
static pthread_mutex_t deposits = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t withdrawals = PTHREAD_MUTEX_INITIALIZER;
#endif

static void account_book(struct account *account, long amount)
{
#if defined(PARTIAL)
	pthread_mutex_t *lock = amount < 0 ? &withdrawals : &deposits;
	long balance;

	pthread_mutex_lock(lock);
	balance = account_read(account);
	account_write(account, balance + amount);
	pthread_mutex_unlock(lock);
#elif defined(FIXED)
	pthread_mutex_lock(&account->lock);
	account->balance += amount;
	pthread_mutex_unlock(&account->lock);
	(void)account_write;
#else
	long balance = account_read(account);

	account_write(account, balance + amount);
#endif
}

/* Amounts follow from the clerk and the number of the booking. */
static void *clerk_run(void *arg)
{
	struct clerk *own = arg;

	for (int i = 0; i < bookings; i++) {
		unsigned slip =
			subject_work((unsigned)(own->number * 101 + i), 500);
		long amount = (long)(slip % 200) - 80;
		int which = (int)((slip >> 8) % (unsigned)account_count);

		account_book(&accounts[which], amount);
		own->booked += amount;
		own->signature ^= slip;
	}
	return NULL;
}

static void accounts_open(int count)
{
	accounts = calloc((size_t)count, sizeof(*accounts));
	if (!accounts)
		exit(2);
	for (int i = 0; i < count; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = 1000;
	}
	account_count = count;
}

int main(int argc, char **argv)
{
	struct clerk clerks[CLERKS] = { 0 };
	pthread_t threads[CLERKS];
	long there = 0, due;

	bookings = subject_size(argc, argv, 1, 3);
	accounts_open(subject_size(argc, argv, 2, 2));
	due = 1000L * account_count;
	for (int i = 0; i < CLERKS; i++) {
		clerks[i].number = i;
		subject_start(&threads[i], clerk_run, &clerks[i]);
	}
	for (int i = 0; i < CLERKS; i++) {
		pthread_join(threads[i], NULL);
		due += clerks[i].booked;
	}
	for (int i = 0; i < account_count; i++)
		there += account_read(&accounts[i]);
	if (there != due)
		subject_wrong("%ld in the accounts, %ld in the books", there,
			      due);
	printf("%ld in %d accounts\n", there, account_count);
	free(accounts);
	return 0;
}
