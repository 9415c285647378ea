/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A clock page: one writer publishes seconds and nanoseconds, readers take
 * them without a lock and look at a sequence number before and after to see
 * whether they got halves of two times.
 *
 * bug:      the writer changes the sequence number only after the time
 * kind:     lock-free, atomicity violation, two variables, no data race
 * threads:  main, 1 writer, 2 readers
 * failure:  wrong result (exit status 1): a time that never was
 * accesses: read of sequence, write of seconds, read of seconds and
 *           nanoseconds, read of sequence, write of nanoseconds
 * natively: rare, a store and the next one
 * twins:    -DFIXED makes the number odd before and even after
 * sizes:    ticks, reads of each reader
 */
#include <stdatomic.h>

#include "subject.h"

#define READERS 2
#define TRIES 4

struct page {
	_Atomic unsigned sequence;
	_Atomic unsigned seconds;
	_Atomic unsigned nanoseconds;
};

struct reader {
	unsigned read;
	unsigned given_up;
};

static struct page page;
static int ticks;
static int reads;

/* The nanoseconds follow from the seconds, so that readers can tell. */
static unsigned nanoseconds_of(unsigned seconds)
{
	return seconds * 1000003 % 1000000000;
}

static void page_write(unsigned seconds)
{
#ifdef FIXED
	atomic_fetch_add(&page.sequence, 1);
	atomic_store(&page.seconds, seconds);
	atomic_store(&page.nanoseconds, nanoseconds_of(seconds));
	atomic_fetch_add(&page.sequence, 1);
#else
	atomic_store(&page.seconds, seconds);
	atomic_store(&page.nanoseconds, nanoseconds_of(seconds));
	atomic_fetch_add(&page.sequence, 2);
#endif
}

/* 0: the writer was in the way. */
static int page_read(unsigned *seconds, unsigned *nanoseconds)
{
	unsigned before = atomic_load(&page.sequence);

	if (before % 2)
		return 0;
	*seconds = atomic_load(&page.seconds);
	*nanoseconds = atomic_load(&page.nanoseconds);
	return atomic_load(&page.sequence) == before;
}

static void *writer_run(void *arg)
{
	for (int i = 0; i < ticks; i++) {
		subject_work((unsigned)i, 3000);
		page_write((unsigned)i + 1);
	}
	return arg;
}

static void time_check(struct reader *reader)
{
	unsigned seconds, nanoseconds;

	for (int i = 0; i < TRIES; i++) {
		if (!page_read(&seconds, &nanoseconds))
			continue;
		if (nanoseconds != nanoseconds_of(seconds))
			subject_wrong("%u s and %u ns never were", seconds,
				      nanoseconds);
		reader->read++;
		return;
	}
	reader->given_up++;
}

static void *reader_run(void *arg)
{
	struct reader *own = arg;

	for (int i = 0; i < reads; i++) {
		subject_work((unsigned)i, 2500);
		time_check(own);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct reader readers[READERS] = { 0 };
	pthread_t writer, threads[READERS];

	ticks = subject_size(argc, argv, 1, 2);
	reads = subject_size(argc, argv, 2, 2);
	subject_start(&writer, writer_run, NULL);
	for (int i = 0; i < READERS; i++)
		subject_start(&threads[i], reader_run, &readers[i]);
	pthread_join(writer, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	printf("%u times read, %u given up\n",
	       readers[0].read + readers[1].read,
	       readers[0].given_up + readers[1].given_up);
	return 0;
}
