/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a trace is written and read. Makes one like a program leaves it
 * (two threads that walk over arrays, lists and their stacks, with a lock now
 * and then), and prints a line: million events a second of packing and
 * writing, of reading chunk by chunk, and of reading in the order of stamps;
 * processor time. An argument gives the number of events, or an existing
 * trace to read.
 */
#include "format/codec.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, PER_TIME = 32, PER_LOCK = 200, WAYS = 6 };

struct maker {
	uint32_t number;
	uint32_t sequence;
	uint64_t seed;
	uint64_t stamp;
	uint64_t made;
	uint64_t walk[WAYS]; /* addresses of the loops it is in */
	struct codec codec;
	uint8_t bytes[REGION_SLOT_BYTES];
};

static uint64_t maker_random(struct maker *m)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return m->seed;
}

static uint8_t *put_stamped(struct maker *m, uint8_t *p, enum event_kind kind)
{
	struct event e = { .kind = (uint8_t)kind,
			   .addr = 0x555555558040,
			   .stack = 12,
			   .stamp = m->stamp += 500 + maker_random(m) % 4000 };

	m->made++;
	return codec_put_event(&m->codec, p, &e);
}

static uint8_t *put_access(struct maker *m, uint8_t *p)
{
	uint64_t r = maker_random(m);
	unsigned int way = r % WAYS;
	unsigned int stride = way % 2 ? 4 : 8;

	/* Two of the ways jump as lists do, the others go straight on. */
	m->walk[way] += way < 2 ? (r >> 20 & 0xffff) * 8 : stride;
	m->made++;
	return codec_put_access(&m->codec, p, (r >> 8) % 4 == 0,
				way % 2 ? 2 : 3, m->walk[way],
				20 + way * 3 + (uint32_t)(r >> 12) % 2);
}

/* Fills a slot as the guest does. */
static size_t fill_slot(struct maker *m)
{
	uint8_t *p = m->bytes;

	m->codec = (struct codec){ .stamp = m->stamp };
	while (p + 2 * CODEC_MAX < m->bytes + sizeof(m->bytes)) {
		if (m->made % PER_LOCK == 0)
			p = put_stamped(m, p, EVENT_MUTEX_LOCK);
		else if (m->made % PER_LOCK == 20)
			p = put_stamped(m, p, EVENT_MUTEX_UNLOCK);
		else if (m->made % PER_TIME == 0)
			p = put_stamped(m, p, EVENT_TIME);
		else
			p = put_access(m, p);
	}
	return (size_t)(p - m->bytes);
}

static double user_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int write_slots(struct trace_writer *w, uint64_t wanted, double *seconds,
		       struct err *err)
{
	static struct maker makers[THREADS];
	uint64_t made = 0;

	for (uint32_t i = 0; i < THREADS; i++) {
		makers[i].number = i;
		makers[i].seed = 88172645463325252U + i;
		for (uint32_t k = 0; k < WAYS; k++)
			makers[i].walk[k] = 0x7f1200000000U + (i << 28) +
					    ((uint64_t)k << 32);
	}
	for (uint32_t i = 0; made < wanted; i = (i + 1) % THREADS) {
		struct maker *m = &makers[i];
		uint64_t before = m->stamp, had = m->made;
		size_t size = fill_slot(m);
		double start = user_seconds();

		made += m->made - had;
		if (trace_write_events(w, i, m->sequence++, before, m->bytes,
				       size, err))
			return -1;
		*seconds += user_seconds() - start;
	}
	return 0;
}

static int make_trace(const char *path, uint64_t wanted, double *seconds,
		      struct err *err)
{
	struct trace_info info = { .mode = MODE_OBSERVE };
	struct trace_end end = { .closed = 1 };
	struct trace_writer *w = trace_create(path, &info, err);

	if (!w)
		return -1;
	if (write_slots(w, wanted, seconds, err)) {
		trace_abandon(w);
		return -1;
	}
	return trace_finish(w, &end, err);
}

/* Million events a second, by `next`; *sum keeps the compiler honest. */
static double read_rate(struct trace *t,
			int next(struct trace *t, struct event *e),
			uint64_t *sum)
{
	double start = user_seconds();
	uint64_t count = 0;
	struct event e;

	for (; next(t, &e); count++)
		*sum += e.addr ^ e.stamp;
	trace_rewind(t);
	return (double)count / (user_seconds() - start) / 1e6;
}

/* Reads the trace both ways, the better of three times each. */
static int measure(const char *path, double write_rate, struct err *err)
{
	double unordered = 0, ordered = 0;
	uint64_t sum = 0, events = 0;
	struct trace *t = trace_open(path, err);

	if (!t)
		return -1;
	for (int i = 0; i < 3; i++) {
		double rate = read_rate(t, trace_next_unordered, &sum);

		unordered = rate > unordered ? rate : unordered;
		rate = read_rate(t, trace_next, &sum);
		ordered = rate > ordered ? rate : ordered;
	}
	if (trace_end(t))
		events = trace_end(t)->events;
	printf("%" PRIu64
	       " events: write %.1f M/s, read %.1f M/s, read in order %.1f M/s (sum %" PRIx64
	       ")\n",
	       events, write_rate, unordered, ordered, sum);
	trace_close(t);
	return 0;
}

static int measure_made(uint64_t wanted, struct err *err)
{
	char path[] = "/tmp/heddle-bench-XXXXXX";
	int fd = mkstemp(path);
	double seconds = 0;
	int rc;

	if (fd < 0)
		return err_set(err, "cannot make a file in /tmp");
	rc = make_trace(path, wanted, &seconds, err);
	if (rc == 0)
		rc = measure(path, (double)wanted / seconds / 1e6, err);
	close(fd);
	unlink(path);
	return rc;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "20000000";
	struct err err;
	char *end;
	uint64_t wanted = strtoull(what, &end, 10);
	int rc = *end ? measure(what, 0, &err) : measure_made(wanted, &err);

	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 2 : 0;
}
