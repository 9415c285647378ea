/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A web server's queue of idle workers: `idlers` says how many workers wait,
 * `recycled` how many of the pools of memory that they wait with can be
 * handed out again. A worker gives back its pool and then says that it is
 * idle; the listener takes both.
 *
 * bug:      LOCON Table 3, Apache-3
 * kind:     atomicity violation, two variables (LOCON row 10: Wx Wy / Rx Ry)
 * threads:  main, 2 workers, 1 listener
 * failure:  assertion: there are more idle workers than pools
 * accesses: write of idlers, read of idlers and read of recycled by the
 *           listener, write of recycled
 * natively: rare, a store and the next one
 * twins:    -DPARTIAL changes both under the queue's lock, and calls what reads
 *           them by another name, without it; -DFIXED reads them under it too
 * sizes:    requests of each worker, looks of the listener
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define WORKERS 2

struct queue_info {
	pthread_mutex_t lock;
	_Atomic int idlers;
	_Atomic int recycled;
	int terminated;
};

struct worker {
	int number;
	unsigned served;
};

static struct queue_info queue = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int requests;
static int looks;

static void queue_enter(void)
{
#if defined(FIXED) || defined(PARTIAL)
	pthread_mutex_lock(&queue.lock);
#endif
}

static void queue_leave(void)
{
#if defined(FIXED) || defined(PARTIAL)
	pthread_mutex_unlock(&queue.lock);
#endif
}

static void queue_set_idle(void)
{
	queue_enter();
	atomic_fetch_add(&queue.idlers, 1);
	atomic_fetch_add(&queue.recycled, 1);
	queue_leave();
}

static void queue_set_busy(void)
{
	queue_enter();
	atomic_fetch_sub(&queue.idlers, 1);
	atomic_fetch_sub(&queue.recycled, 1);
	queue_leave();
}

/* How many requests may be accepted now. */
#ifdef PARTIAL
static int room_for_requests(void)
{
	int idlers, recycled;

	idlers = atomic_load(&queue.idlers);
	recycled = atomic_load(&queue.recycled);
	assert(idlers <= recycled);
	return idlers;
}
#define queue_capacity room_for_requests
#else
static int queue_capacity(void)
{
	int idlers, recycled;

	queue_enter();
	idlers = atomic_load(&queue.idlers);
	recycled = atomic_load(&queue.recycled);
	queue_leave();
	assert(idlers <= recycled);
	return idlers;
}
#endif

static void *worker_run(void *arg)
{
	struct worker *own = arg;

	for (int i = 0; i < requests; i++) {
		queue_set_idle();
		subject_work((unsigned)(own->number + i), 4000);
		queue_set_busy();
		own->served++;
	}
	pthread_mutex_lock(&queue.lock);
	queue.terminated++;
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

static void *listener_run(void *arg)
{
	int *accepted = arg;

	for (int i = 0; i < looks; i++) {
		subject_work((unsigned)i, 3000);
		*accepted += queue_capacity();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[WORKERS] = { 0 };
	pthread_t threads[WORKERS], listener;
	int accepted = 0;

	requests = subject_size(argc, argv, 1, 2);
	looks = subject_size(argc, argv, 2, 2);
	for (int i = 0; i < WORKERS; i++) {
		workers[i].number = i;
		subject_start(&threads[i], worker_run, &workers[i]);
	}
	subject_start(&listener, listener_run, &accepted);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(listener, NULL);
	printf("%u requests, %d could have come\n",
	       workers[0].served + workers[1].served, accepted);
	return 0;
}
