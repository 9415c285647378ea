/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A work-stealing deque: its owner puts and takes tasks at the bottom, thieves
 * steal at the top. The last task is the one that both may want.
 *
 * bug:      the owner takes the last task without competing for it
 * kind:     lock-free, atomicity violation, no data race
 * threads:  main, 1 owner, 2 thieves
 * failure:  assertion: a task is done twice
 * accesses: write of bottom, read of top; read of top and bottom by a thief;
 *           compare and exchange of top by the thief
 * natively: rare, the thief has to come for the last task at the moment
 * twins:    -DFIXED exchanges the top for the last task as a thief does
 * sizes:    tasks, rounds of work of one
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define THIEVES 2
#define ROOM 1024
#define NOTHING (-1)

struct deque {
	_Atomic long top;
	_Atomic long bottom;
	_Atomic int tasks[ROOM];
};

static struct deque deque;
static _Atomic int done[ROOM];
static int task_count;
static int effort;

static void deque_put(int task)
{
	long bottom = atomic_load(&deque.bottom);

	atomic_store(&deque.tasks[bottom % ROOM], task);
	atomic_store(&deque.bottom, bottom + 1);
}

static int deque_take(void)
{
	long bottom = atomic_load(&deque.bottom) - 1, top;
	int task;

	atomic_store(&deque.bottom, bottom);
	top = atomic_load(&deque.top);
	if (top > bottom) {
		atomic_store(&deque.bottom, bottom + 1);
		return NOTHING;
	}
	task = atomic_load(&deque.tasks[bottom % ROOM]);
	if (top < bottom)
		return task;
#ifdef FIXED
	if (!atomic_compare_exchange_strong(&deque.top, &top, top + 1))
		task = NOTHING;
#else
	atomic_store(&deque.top, top + 1);
#endif
	atomic_store(&deque.bottom, bottom + 1);
	return task;
}

static int deque_steal(void)
{
	long top = atomic_load(&deque.top);
	long bottom = atomic_load(&deque.bottom);
	int task;

	if (top >= bottom)
		return NOTHING;
	task = atomic_load(&deque.tasks[top % ROOM]);
	if (!atomic_compare_exchange_strong(&deque.top, &top, top + 1))
		return NOTHING;
	return task;
}

static void task_do(int task)
{
	subject_work((unsigned)task, (unsigned)effort);
	assert(atomic_fetch_add(&done[task], 1) == 0);
}

static void *owner_run(void *arg)
{
	int task;

	for (int i = 0; i < task_count; i++) {
		deque_put(i);
		if (i % 2 && (task = deque_take()) != NOTHING)
			task_do(task);
	}
	while ((task = deque_take()) != NOTHING)
		task_do(task);
	return arg;
}

static void *thief_run(void *arg)
{
	for (int i = 0; i < task_count; i++) {
		int task = deque_steal();

		if (task != NOTHING)
			task_do(task);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t owner, thieves[THIEVES];

	task_count = subject_size(argc, argv, 1, 3);
	effort = subject_size(argc, argv, 2, 2000);
	if (task_count > ROOM)
		return 2;
	subject_start(&owner, owner_run, NULL);
	for (int i = 0; i < THIEVES; i++)
		subject_start(&thieves[i], thief_run, NULL);
	pthread_join(owner, NULL);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	for (int i = 0; i < task_count; i++)
		assert(atomic_load(&done[i]) == 1);
	printf("%d tasks done\n", task_count);
	return 0;
}
