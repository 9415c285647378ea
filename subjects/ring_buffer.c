/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples go from an interrupt's thread to a recorder through a ring with one
 * producer and one consumer and without a lock: the producer moves the head,
 * the consumer the tail.
 *
 * bug:      the producer moves the head before it has filled the slot
 * kind:     lock-free, order violation, no data race
 * threads:  main, 1 producer, 1 consumer
 * failure:  wrong result (exit status 1): an old sample is recorded
 * accesses: write of head, read of head and of the slot by the consumer, write
 *           of the slot
 * natively: rare, a store and the next one
 * twins:    -DFIXED fills the slot first
 * sizes:    samples, looks of the consumer
 */
#include <stdatomic.h>

#include "subject.h"

#define SLOTS 4

struct ring {
	_Atomic unsigned head;
	_Atomic unsigned tail;
	_Atomic unsigned slots[SLOTS];
};

static struct ring ring;
static unsigned recorded;
static unsigned lost;
static int samples;
static int looks;

/* 0: full. */
static int ring_put(unsigned sample)
{
	unsigned head = atomic_load(&ring.head);

	if (head - atomic_load(&ring.tail) == SLOTS)
		return 0;
#ifdef FIXED
	atomic_store(&ring.slots[head % SLOTS], sample);
	atomic_store(&ring.head, head + 1);
#else
	atomic_store(&ring.head, head + 1);
	atomic_store(&ring.slots[head % SLOTS], sample);
#endif
	return 1;
}

/* 0: empty. */
static int ring_take(unsigned *sample)
{
	unsigned tail = atomic_load(&ring.tail);

	if (atomic_load(&ring.head) == tail)
		return 0;
	*sample = atomic_load(&ring.slots[tail % SLOTS]);
	atomic_store(&ring.tail, tail + 1);
	return 1;
}

/* Samples are numbered from 1; the ring may lose some, but keeps the order. */
static void *producer_run(void *arg)
{
	for (int i = 0; i < samples; i++) {
		subject_work((unsigned)i, 2500);
		if (!ring_put((unsigned)i + 1))
			lost++;
	}
	return arg;
}

static void recorder_step(void)
{
	static unsigned last;
	unsigned sample;

	if (!ring_take(&sample))
		return;
	if (sample <= last)
		subject_wrong("sample %u after sample %u", sample, last);
	last = sample;
	recorded++;
}

static void *consumer_run(void *arg)
{
	for (int i = 0; i < looks; i++) {
		subject_work((unsigned)i, 2000);
		recorder_step();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t producer, consumer;

	samples = subject_size(argc, argv, 1, 4);
	looks = subject_size(argc, argv, 2, 4);
	subject_start(&producer, producer_run, NULL);
	subject_start(&consumer, consumer_run, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	for (int i = 0; i < SLOTS; i++)
		recorder_step();
	if (recorded + lost != (unsigned)samples)
		subject_wrong("%u samples recorded, %u lost", recorded, lost);
	printf("%u samples, %u lost\n", recorded, lost);
	return 0;
}
