/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two servers, one of which has to be on duty at any time. Before a server
 * leaves for maintenance it looks whether the other one is on duty.
 *
 * bug:      LOCON Table 1, row 9
 * kind:     atomicity violation, two variables (Rx Wy / Ry Wx)
 * threads:  main, 2 servers
 * failure:  assertion: nobody is on duty
 * accesses: read of the other's on_duty by both, write of its own by both
 * natively: rare, a load and the next store
 * twins:    -DFIXED looks and leaves under a lock
 * sizes:    rounds of maintenance, rounds of work in between
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define SERVERS 2

struct server {
	_Atomic int on_duty;
	int number;
	unsigned served;
	unsigned maintained;
};

static struct server servers[SERVERS];
static pthread_mutex_t roster = PTHREAD_MUTEX_INITIALIZER;
static int rounds;
static int effort;

static void roster_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&roster);
#else
	(void)roster;
#endif
}

static void roster_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&roster);
#endif
}

static int server_may_leave(struct server *server)
{
	struct server *other = &servers[1 - server->number];
	int may = 0;

	roster_enter();
	if (atomic_load(&other->on_duty)) {
		atomic_store(&server->on_duty, 0);
		may = 1;
	}
	roster_leave();
	return may;
}

static void server_maintain(struct server *server)
{
	struct server *other = &servers[1 - server->number];

	/* While it is away the other one cannot leave. */
	assert(atomic_load(&other->on_duty));
	subject_work(server->maintained, (unsigned)effort / 10 + 1);
	server->maintained++;
	atomic_store(&server->on_duty, 1);
}

static void *server_run(void *arg)
{
	struct server *own = arg;

	for (int i = 0; i < rounds; i++) {
		own->served += subject_work((unsigned)(i + own->number * 7),
					    (unsigned)effort) %
			       100;
		if (server_may_leave(own))
			server_maintain(own);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[SERVERS];

	rounds = subject_size(argc, argv, 1, 2);
	effort = subject_size(argc, argv, 2, 2500);
	for (int i = 0; i < SERVERS; i++) {
		servers[i].number = i;
		atomic_init(&servers[i].on_duty, 1);
	}
	for (int i = 0; i < SERVERS; i++)
		subject_start(&threads[i], server_run, &servers[i]);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(threads[i], NULL);
	printf("%u requests, %u times maintained\n",
	       servers[0].served + servers[1].served,
	       servers[0].maintained + servers[1].maintained);
	return 0;
}
