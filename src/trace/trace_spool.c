/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the bytes of a chunk to events with stamps.
 *
 * Plain accesses carry no stamp: those between two stamped events of a chunk
 * are spread evenly over the time between, those behind the last stamped one
 * get its stamp. So a thread's stamps never go back, and an access never gets
 * one beyond the thread's next stamped event, which is what happens-before
 * needs. A batch ends at a stamped event or at the end of the chunk, because
 * only then the stamps before are known.
 */
#include "trace/trace_inner.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BATCH = 256 };

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
		vec_free(&s->batch);
		free(s->raw);
		free(s);
	}
	t->idle = NULL;
}

struct spool *spool_open(struct trace *t, const struct chunk *c, uint64_t floor)
{
	struct spool *s = spool_take(t);

	s->chunk = *c;
	if (s->raw_room < c->raw_size) {
		free(s->raw);
		s->raw_room = c->raw_size;
		s->raw = xmalloc(s->raw_room);
	}
	s->floor = floor > c->least_stamp ? floor : c->least_stamp;
	s->p = s->raw;
	s->end = s->p + c->raw_size;
	s->left = c->count;
	s->codec = (struct codec){ .stamp = c->first_stamp };
	s->at = s->until = NULL;
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

/* What follows in this chunk is of no use. */
static void spool_spoilt(struct trace *t, struct spool *s, const char *why)
{
	char name[64];

	trace_miss(t,
		   "%s %s: its last %" PRIu32 " of %" PRIu32
		   " events are missing",
		   chunk_name(&s->chunk, name), why, s->left, s->chunk.count);
	s->left = 0;
}

/* Bytes behind the last event mean that the writer met something that is no
 * event: memory of ours that the program wrote to. */
static void note_rest(struct trace *t, const struct spool *s)
{
	char name[64];

	if (s->left == 0 && s->p && s->p != s->end)
		trace_miss(
			t,
			"%s ends with %td bytes that are no events; the program may have written into the memory of its recorder",
			chunk_name(&s->chunk, name), s->end - s->p);
}

bool spool_fill(struct trace *t, struct spool *s)
{
	uint64_t from = s->codec.stamp > s->floor ? s->codec.stamp : s->floor;
	uint32_t thread = s->chunk.thread;
	size_t open = 0; /* events from here on wait for their stamps */
	size_t n = 0;

	vec_reserve(&s->batch, BATCH);
	while (s->left > 0) {
		struct event *e;
		const uint8_t *p;

		if (n == s->batch.room) {
			s->batch.count = n;
			vec_reserve(&s->batch, n + 1);
		}
		e = &s->batch.at[n];
		p = codec_get_event(&s->codec, s->p, s->end, e);
		if (!p) {
			spool_spoilt(t, s, "holds bytes that are no events");
			break;
		}
		e->thread = thread;
		s->p = p;
		s->left--;
		n++;
		if (!(event_fields(e->kind) & FIELD_STAMP))
			continue;
		if (e->stamp < from) {
			n--;
			s->left++;
			spool_spoilt(t, s, "goes back in time");
			break;
		}
		spread(&s->batch.at[open], e, from, e->stamp);
		from = e->stamp;
		open = n;
		if (n >= BATCH)
			break;
	}
	note_rest(t, s);
	spread(&s->batch.at[open], &s->batch.at[n], from, from);
	s->floor = from;
	s->at = s->batch.at;
	s->until = s->at + n;
	return n > 0;
}
