/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Philosophers around a table, with a fork between each two of them, who think
 * and eat and take the left fork first.
 *
 * bug:      the dining philosophers
 * kind:     deadlock
 * threads:  main and 4 philosophers
 * failure:  deadlock
 * accesses: lock of the left fork by all, lock of the right fork by all
 * natively: rare, all of them have to be between two locks
 * twins:    -DFIXED lets the last one take the right fork first
 * sizes:    meals, rounds of thinking
 */
#include <assert.h>

#include "subject.h"

#define PHILOSOPHERS 4

struct fork {
	pthread_mutex_t lock;
	int user;
	unsigned used;
};

struct philosopher {
	int number;
	unsigned thoughts;
	int meals;
};

static struct fork forks[PHILOSOPHERS];
static int meals;
static int thinking;

static void fork_take(struct fork *fork, int philosopher)
{
	pthread_mutex_lock(&fork->lock);
	assert(fork->user < 0);
	fork->user = philosopher;
}

static void fork_put(struct fork *fork)
{
	fork->user = -1;
	fork->used++;
	pthread_mutex_unlock(&fork->lock);
}

static void eat(struct philosopher *philosopher)
{
	struct fork *left = &forks[philosopher->number];
	struct fork *right = &forks[(philosopher->number + 1) % PHILOSOPHERS];
	struct fork *first = left, *second = right;

#ifdef FIXED
	if (philosopher->number == PHILOSOPHERS - 1) {
		first = right;
		second = left;
	}
#endif
	fork_take(first, philosopher->number);
	fork_take(second, philosopher->number);
	philosopher->meals++;
	fork_put(second);
	fork_put(first);
}

static void *philosopher_run(void *arg)
{
	struct philosopher *own = arg;

	for (int i = 0; i < meals; i++) {
		own->thoughts ^= subject_work((unsigned)(own->number + i),
					      (unsigned)thinking);
		eat(own);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct philosopher philosophers[PHILOSOPHERS] = { 0 };
	pthread_t threads[PHILOSOPHERS];
	unsigned used = 0;

	meals = subject_size(argc, argv, 1, 1);
	thinking = subject_size(argc, argv, 2, 3000);
	for (int i = 0; i < PHILOSOPHERS; i++) {
		pthread_mutex_init(&forks[i].lock, NULL);
		forks[i].user = -1;
	}
	for (int i = 0; i < PHILOSOPHERS; i++) {
		philosophers[i].number = i;
		subject_start(&threads[i], philosopher_run, &philosophers[i]);
	}
	for (int i = 0; i < PHILOSOPHERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < PHILOSOPHERS; i++)
		used += forks[i].used;
	assert(used == 2u * PHILOSOPHERS * (unsigned)meals);
	printf("%d meals\n", PHILOSOPHERS * meals);
	return 0;
}
