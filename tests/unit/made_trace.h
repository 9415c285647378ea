/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_MADE_TRACE_H
#define HEDDLE_MADE_TRACE_H

/*
 * Traces with random content for tests, all from a stated seed: a few threads
 * take turns, make events of every kind, and hand them over in chunks of
 * random length, as the slots of the region would be. What went in is kept, so
 * that a test can compare what comes out.
 */

#include "base/vec.h"
#include "format/codec.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MADE_THREADS = 8 };

struct made_thread {
	VEC(struct event) events; /* stamp 0 where the kind has none */
	uint8_t bytes[REGION_SLOT_BYTES];
	size_t used;
	size_t limit; /* of the chunk that is being filled */
	uint64_t first_stamp;
	uint32_t sequence;
	struct codec codec;
};

struct made_trace {
	uint64_t seed;
	uint64_t stamp;
	uint32_t threads;
	struct made_thread thread[MADE_THREADS];
};

static inline uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Small numbers often, all lengths sometimes. */
static inline uint64_t random_number(uint64_t *seed)
{
	unsigned int bits = random_next(seed) % 65;

	return bits ? random_next(seed) >> (64 - bits) : 0;
}

static inline bool event_is_stamped(const struct event *e)
{
	return event_fields(e->kind) & FIELD_STAMP;
}

static inline struct event random_event(uint64_t *seed, uint64_t *stamp)
{
	struct event e = { 0 };
	bool is_access = random_next(seed) % 4;
	unsigned int fields;

	e.kind = (uint8_t)(random_next(seed) % (is_access ? 2 : EVENT_KINDS));
	fields = event_fields(e.kind);
	e.stack = (uint32_t)(random_next(seed) % 1000);
	if (fields & FIELD_ADDR)
		e.addr = random_number(seed);
	if (fields & FIELD_SIZE)
		e.size = is_access && random_next(seed) % 8 ?
				 (uint64_t)1 << random_next(seed) % 5 :
				 random_number(seed);
	if (fields & FIELD_ARG)
		e.arg = random_number(seed);
	if (fields & FIELD_STAMP)
		e.stamp = *stamp += 1 + random_next(seed) % 100;
	return e;
}

static inline uint8_t *random_put(struct codec *codec, uint8_t *p,
				  const struct event *e)
{
	if (e->kind <= EVENT_WRITE && e->size <= 16 &&
	    __builtin_popcountll(e->size) == 1)
		return codec_put_access(codec, p, e->kind == EVENT_WRITE,
					(unsigned int)__builtin_ctzll(e->size),
					e->addr, e->stack);
	return codec_put_event(codec, p, e);
}

/* A path that nobody has; the file is there, empty. */
static inline char *random_path(void)
{
	char *path = xstrdup("/tmp/heddle-test-XXXXXX");
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	return path;
}

static inline void random_flush(struct made_trace *r, uint32_t n,
				struct trace_writer *w)
{
	struct made_thread *t = &r->thread[n];
	struct err err;

	CHECK(trace_write_events(w, n, t->sequence++, t->first_stamp, t->bytes,
				 t->used, &err) == 0);
	t->used = 0;
	t->limit = CODEC_MAX + random_next(&r->seed) % 2000;
	t->first_stamp = t->codec.stamp;
	t->codec = (struct codec){ .stamp = t->codec.stamp };
}

/* Now and then an access begins a run: more follow right behind it. */
static inline void random_run(struct made_trace *r, uint32_t n, struct event *e)
{
	struct made_thread *t = &r->thread[n];
	uint32_t count = 1 + random_next(&r->seed) % 600;
	unsigned int size_log = random_next(&r->seed) % 5;
	uint8_t *count_at;

	e->kind = random_next(&r->seed) % 2 ? EVENT_WRITE : EVENT_READ;
	e->size = (uint64_t)1 << size_log;
	e->arg = e->stamp = 0;
	t->used = (size_t)(codec_put_run(&t->codec, t->bytes + t->used,
					 e->kind == EVENT_WRITE, size_log,
					 e->addr, e->stack, &count_at) -
			   t->bytes);
	codec_set_number(count_at, count);
	for (uint32_t i = 0; i < count; i++, e->addr += e->size) {
		t->codec.addr = e->addr;
		vec_push(&t->events, *e);
	}
}

static inline void random_step(struct made_trace *r, uint32_t n,
			       struct trace_writer *w)
{
	struct made_thread *t = &r->thread[n];
	struct event e = random_event(&r->seed, &r->stamp);

	e.thread = n;
	if (random_next(&r->seed) % 32 == 0) {
		random_run(r, n, &e);
	} else {
		vec_push(&t->events, e);
		t->used =
			(size_t)(random_put(&t->codec, t->bytes + t->used, &e) -
				 t->bytes);
	}
	if (t->used >= t->limit)
		random_flush(r, n, w);
}

/* Fills `r`, which is large: let it be static. */
static inline void made_trace_write(struct made_trace *r, uint64_t seed,
				    uint32_t threads, size_t events,
				    const char *path)
{
	struct trace_info info = { .command = "prog\0arg",
				   .command_size = 9,
				   .mode = MODE_OBSERVE };
	struct trace_end end = { .closed = 1 };
	struct err err;
	struct trace_writer *w = trace_create(path, &info, &err);

	CHECK(w && threads <= MADE_THREADS);
	memset(r, 0, sizeof(*r));
	r->seed = seed * 0x9e3779b97f4a7c15 + 1;
	r->threads = threads;
	r->stamp = 1000;
	while (events-- > 0)
		random_step(r, (uint32_t)(random_next(&r->seed) % threads), w);
	for (uint32_t n = 0; n < threads; n++)
		random_flush(r, n, w);
	CHECK(trace_finish(w, &end, &err) == 0);
}

static inline void made_trace_free(struct made_trace *r)
{
	for (uint32_t n = 0; n < MADE_THREADS; n++)
		vec_free(&r->thread[n].events);
}

/* Equal but for stamps that were interpolated. */
static inline bool event_equals(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->thread == b->thread &&
	       a->addr == b->addr && a->size == b->size && a->arg == b->arg &&
	       a->stack == b->stack &&
	       (a->stamp == b->stamp || !event_is_stamped(a));
}

#endif
