/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An airline sells the seats of a flight. Every agent looks whether sales have
 * been stopped, sells a seat, and stops sales when that was the last one.
 *
 * bug:      RV-CAUSAL Table 1, Airline
 * kind:     atomicity violation, two variables
 * threads:  main and 3 agents
 * failure:  assertion: more seats are sold than there are
 * accesses: read of stopped, write of sold and write of stopped by another,
 *           write of sold
 * natively: rare, only the last seat matters
 * twins:    -DFIXED sells under the flight's lock
 * sizes:    seats, customers of each agent
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define AGENTS 3

struct flight {
	pthread_mutex_t lock;
	_Atomic int stopped;
	_Atomic int sold;
	int seats;
};

struct agent {
	int number;
	int sold;
	int refused;
	long earned;
};

static struct flight flight = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int customers;

/* 0: the flight is full. */
static int flight_sell(void)
{
	int has_sold = 0;

#ifdef FIXED
	pthread_mutex_lock(&flight.lock);
#endif
	if (!atomic_load(&flight.stopped)) {
		int sold = atomic_fetch_add(&flight.sold, 1) + 1;

		if (sold >= flight.seats)
			atomic_store(&flight.stopped, 1);
		has_sold = 1;
	}
#ifdef FIXED
	pthread_mutex_unlock(&flight.lock);
#endif
	return has_sold;
}

/* What a customer pays depends on how long the talk is. */
static void *agent_run(void *arg)
{
	struct agent *own = arg;

	for (int i = 0; i < customers; i++) {
		unsigned talk =
			subject_work((unsigned)(own->number * 17 + i), 2500);

		if (flight_sell()) {
			own->sold++;
			own->earned += 99 + talk % 50;
		} else {
			own->refused++;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct agent agents[AGENTS] = { 0 };
	pthread_t threads[AGENTS];
	int sold = 0;
	long earned = 0;

	flight.seats = subject_size(argc, argv, 1, 3);
	customers = subject_size(argc, argv, 2, 2);
	for (int i = 0; i < AGENTS; i++) {
		agents[i].number = i;
		subject_start(&threads[i], agent_run, &agents[i]);
	}
	for (int i = 0; i < AGENTS; i++) {
		pthread_join(threads[i], NULL);
		sold += agents[i].sold;
		earned += agents[i].earned;
	}
	assert(sold <= flight.seats);
	printf("%d of %d seats for %ld\n", sold, flight.seats, earned);
	return 0;
}
