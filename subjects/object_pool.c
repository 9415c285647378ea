/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of connections that are made when they are needed, up to a limit, and
 * used again. Borrowing takes an idle one or sees that the limit allows one
 * more, makes it outside the lock, since that takes long, and counts it then.
 *
 * bug:      RV-CAUSAL Table 1, Pool
 * kind:     atomicity violation, one variable, no data race (LOCON row 6)
 * threads:  main and 3 users
 * failure:  assertion: more connections than the limit allows
 * accesses: read of pool.active, write of it by another, write of it
 * natively: rare: all users have to be about to count
 * twins:    -DFIXED counts the connection before it makes it
 * sizes:    limit, turns of each user, users
 */
#include <assert.h>

#include "subject.h"

#define USERS_MAX 3

struct connection {
	unsigned token;
	struct connection *next;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct connection *idle;
	int active;
	int made;
	int limit;
};

static struct pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .returned = PTHREAD_COND_INITIALIZER };
static int turns;

static struct connection *connection_new(unsigned seed)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		exit(2);
	connection->token = subject_work(seed, 1000);
	return connection;
}

static struct connection *idle_pop(void)
{
	struct connection *connection = pool.idle;

	if (connection)
		pool.idle = connection->next;
	return connection;
}

static void active_count(void)
{
	pool.active++;
	assert(pool.active <= pool.limit);
}

static struct connection *pool_borrow(unsigned user)
{
	struct connection *connection;

	pthread_mutex_lock(&pool.lock);
	while (!pool.idle && pool.active >= pool.limit)
		pthread_cond_wait(&pool.returned, &pool.lock);
	connection = idle_pop();
#ifdef FIXED
	active_count();
	if (!connection)
		pool.made++;
	pthread_mutex_unlock(&pool.lock);
	if (!connection)
		connection = connection_new(user);
#else
	pthread_mutex_unlock(&pool.lock);
	if (!connection) {
		connection = connection_new(user);
		pthread_mutex_lock(&pool.lock);
		pool.made++;
	} else {
		pthread_mutex_lock(&pool.lock);
	}
	active_count();
	pthread_mutex_unlock(&pool.lock);
#endif
	return connection;
}

static void pool_return(struct connection *connection)
{
	pthread_mutex_lock(&pool.lock);
	connection->next = pool.idle;
	pool.idle = connection;
	pool.active--;
	pthread_cond_signal(&pool.returned);
	pthread_mutex_unlock(&pool.lock);
}

static void *user_run(void *arg)
{
	unsigned user = *(unsigned *)arg;

	for (int i = 0; i < turns; i++) {
		struct connection *connection = pool_borrow(user);

		connection->token = subject_work(connection->token, 1000);
		pool_return(connection);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned users[USERS_MAX];
	unsigned count = (unsigned)subject_size(argc, argv, 3, USERS_MAX);
	pthread_t threads[USERS_MAX];
	struct connection *connection;

	pool.limit = subject_size(argc, argv, 1, 2);
	turns = subject_size(argc, argv, 2, 2);
	if (count > USERS_MAX)
		return 2;
	for (unsigned i = 0; i < count; i++) {
		users[i] = i;
		subject_start(&threads[i], user_run, &users[i]);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%d connections made\n", pool.made);
	while ((connection = idle_pop()))
		free(connection);
	return 0;
}
