/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many events a second the race finder takes: happens-before, lock sets
 * and histories together, on a trace made in memory. Threads work on a hash
 * table with a lock for each of 64 stripes: lock, walk a chain, change a node,
 * unlock; now and then a node is freed and made anew.
 *
 *	bench_race [threads [events]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/race.h"
#include "base/vec.h"

enum { STRIPES = 64, NODES = 1 << 16, NODE_BYTES = 32 };

struct bench {
	VEC(struct event) events;
	uint64_t stamp;
	uint64_t random;
};

static uint64_t draw(struct bench *b, uint64_t n)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random % n;
}

static void put(struct bench *b, unsigned int kind, uint32_t thread,
		uint64_t addr, uint64_t size, uint64_t arg)
{
	struct event e = {
		.kind = (uint8_t)kind,
		.thread = thread,
		.addr = addr,
		.size = size,
		.arg = arg,
		.stack = 1 + kind,
	};

	if (event_fields(kind) & FIELD_STAMP)
		b->stamp++;
	e.stamp = b->stamp;
	vec_push(&b->events, e);
}

/* One operation on the table, under the lock of its stripe. */
static void put_operation(struct bench *b, uint32_t thread)
{
	uint64_t stripe = draw(b, STRIPES);
	uint64_t lock = 0x10000 + stripe * 40;

	put(b, EVENT_MUTEX_LOCK, thread, lock, 0, 0);
	for (int i = 0; i < 6; i++) {
		uint64_t node = draw(b, NODES / STRIPES) * STRIPES + stripe;
		uint64_t addr = 0x7f0000000000 + node * NODE_BYTES;

		put(b, EVENT_READ, thread, addr, 8, 0);
		put(b, EVENT_READ, thread, addr + 8, 4, 0);
		put(b, EVENT_READ, thread, addr + 16, 8, 0);
		if (i == 5)
			put(b, EVENT_WRITE, thread, addr + 16, 8, 0);
		if (i == 5 && draw(b, 8) == 0) {
			put(b, EVENT_FREE, thread, addr, NODE_BYTES, 0);
			put(b, EVENT_ALLOC, thread, addr, NODE_BYTES, 0);
			put(b, EVENT_WRITE, thread, addr, 8, 0);
		}
	}
	put(b, EVENT_MUTEX_UNLOCK, thread, lock, 0, 0);
}

/* Of this process, so that others on the machine do not count. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t run(const struct event *events, size_t count)
{
	struct happens *order = happens_new(HAPPENS_ALL);
	struct locksets *locks = locksets_new(NULL);
	struct race_inputs in = { .order = order, .locks = locks };
	struct races *races = races_new(&in);
	size_t found;

	for (size_t i = 0; i < count; i++) {
		happens_acquire(order, &events[i]);
		locksets_feed(locks, &events[i]);
		races_feed(races, &events[i]);
		happens_release(order, &events[i]);
	}
	free(races_take(races, &found));
	races_free(races);
	locksets_free(locks);
	happens_free(order);
	return found;
}

int main(int argc, char **argv)
{
	uint32_t threads = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
	size_t events = argc > 2 ? (size_t)atol(argv[2]) : 10000000;
	struct bench b = { .random = 88172645463325252u };
	double begin, took;
	size_t races;

	while (b.events.count < events)
		put_operation(&b, (uint32_t)draw(&b, threads));
	begin = seconds();
	races = run(b.events.at, b.events.count);
	took = seconds() - begin;
	printf("race finder: %zu events of %" PRIu32 " threads, %.2f s, "
	       "%.1f million events/s, %zu races\n",
	       b.events.count, threads, took,
	       (double)b.events.count / took / 1e6, races);
	vec_free(&b.events);
	return races != 0;
}
