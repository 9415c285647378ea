/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks go round in a circular list: a worker takes one from the front, works
 * on it and puts it back at the end. Where the list begins, where it ends and
 * how long it is are three variables; each access to one of them is atomic,
 * all together are not.
 *
 * bug:      LOCON Table 3, c_list
 * kind:     atomicity violation, three variables
 * threads:  main and 2 workers
 * failure:  wrong result (exit status 1): tasks are there twice or not at all
 * accesses: read of last, write of last by another, write of the slot, write
 *           of last; the same for first and for length
 * natively: rare while there is more work than moving
 * twins:    -DFIXED moves tasks under a lock
 * sizes:    rounds of each worker, rounds of work on a task
 */
#include <stdatomic.h>

#include "subject.h"

#define WORKERS 2
#define TASKS 6
#define SLOTS 8

struct ring {
	_Atomic int first;
	_Atomic int last;
	_Atomic int length;
	_Atomic int slots[SLOTS];
	pthread_mutex_t lock;
};

static struct ring ring = { .lock = PTHREAD_MUTEX_INITIALIZER };
static unsigned progress[TASKS];
static int turns;
static int effort;

static void ring_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&ring.lock);
#endif
}

static void ring_leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&ring.lock);
#endif
}

static void ring_put(int task)
{
	int last, length;

	ring_enter();
	last = atomic_load(&ring.last);
	atomic_store(&ring.slots[last], task);
	atomic_store(&ring.last, (last + 1) % SLOTS);
	length = atomic_load(&ring.length);
	atomic_store(&ring.length, length + 1);
	ring_leave();
}

/* -1: nothing to do now. */
static int ring_take(void)
{
	int task = -1;

	ring_enter();
	if (atomic_load(&ring.length) > 0) {
		int first = atomic_load(&ring.first);

		task = atomic_load(&ring.slots[first]);
		atomic_store(&ring.first, (first + 1) % SLOTS);
		atomic_store(&ring.length, atomic_load(&ring.length) - 1);
	}
	ring_leave();
	return task;
}

static void *worker_run(void *arg)
{
	for (int i = 0; i < turns; i++) {
		int task = ring_take();
		unsigned done;

		if (task < 0)
			continue;
		done = subject_work((unsigned)task, (unsigned)effort);
		if (done == 0)
			progress[task]++;
		ring_put(task);
	}
	return arg;
}

static void ring_check(void)
{
	int seen[TASKS] = { 0 };
	int length = atomic_load(&ring.length);
	int first = atomic_load(&ring.first);
	int span = (atomic_load(&ring.last) - first + SLOTS) % SLOTS;

	if (length != TASKS || span != TASKS)
		subject_wrong("the list is %d long and spans %d", length, span);
	for (int i = 0; i < TASKS; i++)
		seen[atomic_load(&ring.slots[(first + i) % SLOTS])]++;
	for (int i = 0; i < TASKS; i++)
		if (seen[i] != 1)
			subject_wrong("task %d is there %d times", i, seen[i]);
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];

	turns = subject_size(argc, argv, 1, 2);
	effort = subject_size(argc, argv, 2, 2000);
	for (int i = 0; i < TASKS; i++)
		ring_put(i);
	for (int i = 0; i < WORKERS; i++)
		subject_start(&threads[i], worker_run, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	ring_check();
	printf("%d tasks are in the list\n", TASKS);
	return 0;
}
