/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of connections that are made when they are needed, up to a limit, and
 * used again. So that nobody has to wait for one to be made, a keeper sees to
 * it that one is idle: it looks whether the limit allows one more, makes it
 * outside the lock, since that takes long, and puts it into the pool then.
 *
 * bug:      RV-CAUSAL Table 1, Pool (POOL-120)
 * kind:     atomicity violation, one variable, no data race (LOCON row 6)
 * threads:  main, 1 keeper, 2 users
 * failure:  assertion: more connections than the limit allows
 * accesses: read of pool.active, write of it by a user, read of it
 * natively: rare: a user has to come while the keeper makes one
 * twins:    -DFIXED counts the connection that is being made
 * sizes:    limit (main has one of them), turns of each thread, users
 */
#include <assert.h>

#include "subject.h"

#define USERS_MAX 2

enum { MAIN, KEEPER, USERS };

struct connection {
	unsigned token;
	struct connection *next;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct connection *idle;
	int idle_count;
	int active;
	int coming; /* the keeper is making them */
	int limit;
};

static struct pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .returned = PTHREAD_COND_INITIALIZER };
static struct connection *connections; /* by who makes it, and in which turn */
static int turns;

static struct connection *connection_make(int thread, int turn)
{
	struct connection *connection = &connections[thread * turns + turn];

	connection->token = subject_work((unsigned)turn, 100);
	return connection;
}

static void idle_push(struct connection *connection)
{
	connection->next = pool.idle;
	pool.idle = connection;
	pool.idle_count++;
	pthread_cond_signal(&pool.returned);
}

static struct connection *idle_pop(void)
{
	struct connection *connection = pool.idle;

	if (connection) {
		pool.idle = connection->next;
		pool.idle_count--;
	}
	return connection;
}

static struct connection *pool_borrow(int user, int turn)
{
	struct connection *connection;

	pthread_mutex_lock(&pool.lock);
	while (!pool.idle && pool.active + pool.coming >= pool.limit)
		pthread_cond_wait(&pool.returned, &pool.lock);
	connection = idle_pop();
	pool.active++;
	pthread_mutex_unlock(&pool.lock);
	return connection ? connection : connection_make(user, turn);
}

static void pool_return(struct connection *connection)
{
	pthread_mutex_lock(&pool.lock);
	pool.active--;
	idle_push(connection);
	pthread_mutex_unlock(&pool.lock);
}

/* Is none idle, and may there be one more? */
static int pool_lacks(void)
{
	int lacks;

	pthread_mutex_lock(&pool.lock);
	lacks = !pool.idle && pool.active < pool.limit;
#ifdef FIXED
	pool.coming += lacks;
#endif
	pthread_mutex_unlock(&pool.lock);
	return lacks;
}

static void *keeper_run(void *arg)
{
	for (int i = 0; i < turns; i++) {
		struct connection *connection;

		if (!pool_lacks())
			continue;
		connection = connection_make(KEEPER, i);
		pthread_mutex_lock(&pool.lock);
#ifdef FIXED
		pool.coming--;
#endif
		idle_push(connection);
		assert(pool.idle_count + pool.active <= pool.limit);
		pthread_mutex_unlock(&pool.lock);
	}
	return arg;
}

static void *user_run(void *arg)
{
	int user = *(int *)arg;

	for (int i = 0; i < turns; i++) {
		struct connection *connection;

		subject_work((unsigned)user, 30000);
		connection = pool_borrow(user, i);
		connection->token = subject_work(connection->token, 1000);
		pool_return(connection);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = subject_size(argc, argv, 3, USERS_MAX);
	int users[USERS_MAX];
	pthread_t threads[USERS_MAX], keeper;
	struct connection *own;
	int made = 0;

	pool.limit = subject_size(argc, argv, 1, 2);
	turns = subject_size(argc, argv, 2, 2);
	if (count > USERS_MAX || pool.limit < 2)
		return 2;
	connections = calloc((size_t)(USERS + count) * (size_t)turns,
			     sizeof(*connections));
	if (!connections)
		return 2;
	own = pool_borrow(MAIN, 0);
	subject_start(&keeper, keeper_run, NULL);
	for (int i = 0; i < count; i++) {
		users[i] = USERS + i;
		subject_start(&threads[i], user_run, &users[i]);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_join(keeper, NULL);
	pool_return(own);
	while (idle_pop())
		made++;
	free(connections);
	printf("%d connections made\n", made);
	return 0;
}
