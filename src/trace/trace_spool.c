/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the bytes of a chunk to events with stamps.
 *
 * Plain accesses carry no stamp: those between two stamped events of a chunk
 * are spread evenly over the time between, those behind the last stamped one
 * get its stamp. So a thread's stamps never go back, and an access never gets
 * one beyond the thread's next stamped event, which is what happens-before
 * needs. Events are decoded in batches; when one is full before the stamp that
 * the last ones of it wait for has come, a look ahead finds that.
 */
#include "trace/trace_inner.h"

#include <inttypes.h>
#include <stdlib.h>

static struct spool *spool_take(struct trace *t)
{
	struct spool *s = t->idle;

	if (!s)
		return xcalloc(1, sizeof(*s));
	t->idle = s->next;
	return s;
}

void spool_close(struct trace *t, struct spool *s)
{
	if (!s)
		return;
	s->next = t->idle;
	t->idle = s;
}

void spool_free_idle(struct trace *t)
{
	struct spool *next;

	for (struct spool *s = t->idle; s; s = next) {
		next = s->next;
		free(s->raw);
		free(s);
	}
	t->idle = NULL;
}

struct spool *spool_open(struct trace *t, const struct chunk *c, uint64_t floor)
{
	struct spool *s = spool_take(t);

	s->chunk = *c;
	if (s->raw_room <= c->raw_size) {
		free(s->raw);
		s->raw_room = (size_t)c->raw_size + 1; /* never none */
		s->raw = xmalloc(s->raw_room);
	}
	s->floor = floor > c->first_stamp ? floor : c->first_stamp;
	s->p = s->raw;
	s->end = s->p + c->raw_size;
	s->left = c->count;
	s->codec = (struct codec){ .stamp = c->first_stamp };
	s->ahead = 0;
	if (scan_payload(t, c, s->raw) && spool_fill(t, s))
		return s;
	spool_close(t, s);
	return NULL;
}

/* The events from `at` to before `end` happened between the two stamps. */
static void spread(struct event *at, struct event *end, uint64_t from,
		   uint64_t to)
{
	uint64_t step;

	if (at == end)
		return;
	step = (to - from) / ((uint64_t)(end - at) + 1);
	for (; at < end; at++) {
		from += step;
		at->stamp = from;
	}
}

/* What follows in this chunk is of no use; always false. */
static bool spool_spoilt(struct trace *t, struct spool *s, const char *why)
{
	char name[64];

	trace_miss(t,
		   "%s %s: its last %" PRIu32 " of %" PRIu32
		   " events are missing",
		   chunk_name(&s->chunk, name), why, s->left, s->chunk.count);
	s->left = 0;
	s->p = s->end;
	return false;
}

/* Bytes behind the last event mean that the writer met something that is no
 * event: memory of ours that the program wrote to. Always false. */
static bool spool_over(struct trace *t, const struct spool *s)
{
	char name[64];

	if (s->p != s->end)
		trace_miss(
			t,
			"%s ends with %td bytes that are no events; the program may have written into the memory of its recorder",
			chunk_name(&s->chunk, name), s->end - s->p);
	return false;
}

/* Decodes one event: false at the end of what is whole. */
static inline bool spool_decode(struct trace *t, struct spool *s,
				struct event *e)
{
	const uint8_t *p;

	if (s->left == 0)
		return spool_over(t, s);
	p = codec_get_event(&s->codec, s->p, s->end, e);
	if (!p || e->stack >= REGION_STACKS)
		return spool_spoilt(t, s, "holds bytes that are no events");
	if (event_fields(e->kind) & FIELD_STAMP && e->stamp < s->floor)
		return spool_spoilt(t, s, "goes back in time");
	e->thread = s->chunk.thread;
	s->p = p;
	s->left--;
	return true;
}

/* How many events come before the next stamped one, whose stamp goes to *to
 * (unchanged when there is none). */
static uint32_t look_ahead(const struct spool *s, uint64_t *to)
{
	struct codec codec = s->codec;
	const uint8_t *p = s->p;
	struct event e;
	uint32_t count = 0;

	while (count < s->left &&
	       (p = codec_get_event(&codec, p, s->end, &e))) {
		if (event_fields(e.kind) & FIELD_STAMP) {
			if (e.stamp > *to)
				*to = e.stamp;
			return count;
		}
		count += 1 + codec_skip_run(&codec, &p);
	}
	return count < s->left ? count : s->left;
}

/* The batch is full and its events from `open` on have no stamp yet: the next
 * batch or many may pass before the one that gives it. */
static void spread_far(struct spool *s, struct event *open, struct event *end)
{
	uint64_t to = s->floor;

	s->ahead = look_ahead(s, &to);
	s->step = (to - s->floor) / ((uint64_t)(end - open) + s->ahead + 1);
	for (; open < end; open++)
		open->stamp = s->floor += s->step;
}

/* Decodes the next of the events that are known to come without a stamp. */
static size_t fill_ahead(struct trace *t, struct spool *s)
{
	size_t n = 0;

	while (n < BATCH && s->ahead > 0 && spool_decode(t, s, &s->batch[n])) {
		s->batch[n++].stamp = s->floor += s->step;
		s->ahead--;
	}
	return n;
}

/* Decodes up to BATCH events and gives them stamps. */
static size_t fill_batch(struct trace *t, struct spool *s)
{
	struct event *open = s->batch; /* waits for its stamp, as all behind */
	size_t n = 0;

	while (n < BATCH) {
		struct event *e = &s->batch[n];

		if (!spool_decode(t, s, e)) {
			spread(open, e, s->floor, s->floor);
			return n;
		}
		n++;
		if (!(event_fields(e->kind) & FIELD_STAMP))
			continue;
		spread(open, e, s->floor, e->stamp);
		s->floor = e->stamp;
		open = e + 1;
	}
	if (open < s->batch + n)
		spread_far(s, open, s->batch + n);
	return n;
}

bool spool_fill(struct trace *t, struct spool *s)
{
	size_t n = s->ahead > 0 ? fill_ahead(t, s) : fill_batch(t, s);

	s->at = s->batch;
	s->until = s->at + n;
	return n > 0;
}
