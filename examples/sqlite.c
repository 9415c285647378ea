/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real library under heddle linear, in process: two threads with a connection
 * each to one SQLite database in memory (shared cache) take from an account.
 * Each call of `take` is a request; what is in the table at the end is the
 * state.
 *
 *	heddle cc -g -o sqlite sqlite.c -lsqlite3
 *	heddle linear -- ./sqlite           as it should be: one statement
 *	heddle linear -- ./sqlite careless  reads first and writes later
 *
 * The second is not linearizable: money is paid out twice, and SQLite is not to
 * blame.
 */
#include <heddle.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATABASE "file:bank?mode=memory&cache=shared"

static int is_careless;

static sqlite3 *open_database(void)
{
	sqlite3 *db;

	if (sqlite3_open_v2(DATABASE, &db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX,
			    NULL) != SQLITE_OK)
		abort();
	return db;
}

static int balance_row(void *to, int count, char **values, char **names)
{
	(void)count;
	(void)names;
	*(int *)to = atoi(values[0]);
	return 0;
}

/* Tables of a shared cache are locked by others now and then. */
static int execute(sqlite3 *db, const char *text, int *number)
{
	int rc;

	do
		rc = sqlite3_exec(db, text, number ? balance_row : NULL, number,
				  NULL);
	while (rc == SQLITE_LOCKED || rc == SQLITE_BUSY);
	return rc;
}

static int take_at_once(sqlite3 *db, int amount)
{
	char text[120];

	snprintf(text, sizeof(text),
		 "update account set balance = balance - %d "
		 "where balance >= %d",
		 amount, amount);
	if (execute(db, text, NULL) != SQLITE_OK)
		return -1;
	return sqlite3_changes(db);
}

static int take_carelessly(sqlite3 *db, int amount)
{
	char text[120];
	int balance = 0;

	if (execute(db, "select balance from account", &balance) != SQLITE_OK)
		return -1;
	if (balance < amount)
		return 0;
	snprintf(text, sizeof(text), "update account set balance = %d",
		 balance - amount);
	return execute(db, text, NULL) == SQLITE_OK ? 1 : -1;
}

static void *customer(void *arg)
{
	int amount = *(int *)arg, done;
	sqlite3 *db = open_database();
	char input[32], output[32];

	snprintf(input, sizeof(input), "take %d", amount);
	heddle_request_begin(input, strlen(input));
	done = is_careless ? take_carelessly(db, amount) :
			     take_at_once(db, amount);
	snprintf(output, sizeof(output), done > 0 ? "paid" : "refused");
	heddle_request_end(output, strlen(output));
	sqlite3_close(db);
	return NULL;
}

int main(int argc, char **argv)
{
	int amounts[2] = { 70, 50 }, balance = 0;
	pthread_t threads[2];
	sqlite3 *db;

	(void)argv;
	is_careless = argc > 1;
	db = open_database();
	execute(db, "create table account (balance integer)", NULL);
	execute(db, "insert into account values (100)", NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, customer, &amounts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	execute(db, "select balance from account", &balance);
	heddle_counter_set("balance", balance);
	sqlite3_close(db);
	return 0;
}
