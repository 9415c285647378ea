/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A downloading session starts its event loop first and sets up the rest of
 * itself afterwards. A timer of the loop hands out bandwidth, and relies on it
 * that the session has got its bandwidth object by then.
 *
 * bug:      LOCON Figure 1 and Table 3, Transmission
 * kind:     order violation (LOCON row 2: R W)
 * threads:  main and the event loop
 * failure:  assertion: the bandwidth object is not there
 * accesses: read of session->bandwidth by the loop, write of it by main
 * natively: in one of 100 runs to half of them, by machine and load
 * twins:    -DFIXED makes the bandwidth object before the loop
 * sizes:    ticks of the loop, rounds of work in a tick
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define PEERS 4
#define TICKS_TO_TIMER 3

struct bandwidth {
	unsigned limit;
	unsigned used;
};

struct peer {
	unsigned speed;
	unsigned granted;
};

struct session {
	_Atomic(struct bandwidth *) bandwidth;
	pthread_mutex_t peers_lock;
	struct peer peers[PEERS];
	unsigned peer_count;
	pthread_t loop;
};

static int ticks;
static int effort;

static struct bandwidth *bandwidth_new(unsigned limit)
{
	struct bandwidth *bandwidth = calloc(1, sizeof(*bandwidth));

	if (!bandwidth)
		exit(2);
	bandwidth->limit = limit;
	return bandwidth;
}

static void bandwidth_allocate(struct session *session)
{
	struct bandwidth *bandwidth = atomic_load(&session->bandwidth);

	assert(bandwidth);
	pthread_mutex_lock(&session->peers_lock);
	for (unsigned i = 0; i < session->peer_count; i++) {
		unsigned share = bandwidth->limit / session->peer_count;

		session->peers[i].granted += share;
		bandwidth->used += share;
	}
	pthread_mutex_unlock(&session->peers_lock);
}

static void peers_pulse(struct session *session, unsigned tick)
{
	pthread_mutex_lock(&session->peers_lock);
	for (unsigned i = 0; i < session->peer_count; i++)
		session->peers[i].speed = subject_work(tick + i, 8) % 1000;
	pthread_mutex_unlock(&session->peers_lock);
}

static void *loop_run(void *arg)
{
	struct session *session = arg;

	for (int tick = 1; tick <= ticks; tick++) {
		subject_work((unsigned)tick, (unsigned)effort);
		peers_pulse(session, (unsigned)tick);
		if (tick % TICKS_TO_TIMER == 0)
			bandwidth_allocate(session);
	}
	return NULL;
}

static void peers_add(struct session *session)
{
	for (unsigned i = 0; i < PEERS; i++) {
		pthread_mutex_lock(&session->peers_lock);
		session->peer_count++;
		pthread_mutex_unlock(&session->peers_lock);
	}
}

int main(int argc, char **argv)
{
	static struct session session = { .peers_lock =
						  PTHREAD_MUTEX_INITIALIZER };
	struct bandwidth *bandwidth;

	ticks = subject_size(argc, argv, 1, 6);
	effort = subject_size(argc, argv, 2, 100000);
#ifdef FIXED
	atomic_store(&session.bandwidth, bandwidth_new(4000));
#endif
	subject_start(&session.loop, loop_run, &session);
	peers_add(&session);
#ifndef FIXED
	atomic_store(&session.bandwidth, bandwidth_new(4000));
#endif
	pthread_join(session.loop, NULL);
	bandwidth = atomic_load(&session.bandwidth);
	printf("%u bytes handed out\n", bandwidth->used);
	free(bandwidth);
	return 0;
}
