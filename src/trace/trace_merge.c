/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads, one stream. A heap holds, for each thread that has events
 * left, the key of its next: its stamp and, among equal stamps, the place of
 * its chunk in the file. A thread whose next chunk has not been opened is
 * there with the stamp its header begins with, which is not after the stamp of
 * any event in it; so a chunk is opened when its time has come, and closed
 * when it is through.
 */
#include "trace/trace_inner.h"

static bool is_before(const struct merge_entry *a, const struct merge_entry *b)
{
	if (a->stamp != b->stamp)
		return a->stamp < b->stamp;
	return a->chunk.offset < b->chunk.offset;
}

static void sift_down(struct trace *t, size_t at)
{
	struct merge_entry *heap = t->heap.at;
	struct merge_entry entry = heap[at];
	size_t count = t->heap.count;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &entry))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = entry;
}

static void drop_first(struct trace *t)
{
	t->heap.at[0] = t->heap.at[--t->heap.count];
	if (t->heap.count > 0)
		sift_down(t, 0);
}

static void merge_begin(struct trace *t)
{
	t->is_merging = true;
	for (size_t n = 0; n < t->tracks.count; n++) {
		struct merge_entry e = { 0 };

		if (t->tracks.at[n].first == 0 ||
		    !scan_chunk(t, t->tracks.at[n].first, &e.chunk))
			continue;
		e.stamp = e.chunk.least_stamp;
		vec_push(&t->heap, e);
	}
	for (size_t i = t->heap.count / 2; i-- > 0;)
		sift_down(t, i);
}

/* Opens the chunk of the first entry, or goes on to the thread's next. */
static void open_first(struct trace *t)
{
	struct merge_entry *first = &t->heap.at[0];
	struct track *track = &t->tracks.at[first->chunk.thread];

	track->sequence = first->chunk.sequence;
	track->is_begun = true;
	first->spool = spool_open(t, &first->chunk, first->stamp);
	if (first->spool) {
		first->stamp = first->spool->at->stamp;
		sift_down(t, 0);
	} else if (scan_same_thread(t, &first->chunk)) {
		if (first->stamp < first->chunk.least_stamp)
			first->stamp = first->chunk.least_stamp;
		sift_down(t, 0);
	} else {
		drop_first(t);
	}
}

/* The chunk of the first entry is through. */
static void close_first(struct trace *t)
{
	struct merge_entry *first = &t->heap.at[0];
	struct track *track = &t->tracks.at[first->chunk.thread];

	track->stamp = first->spool->floor;
	spool_close(t, first->spool);
	first->spool = NULL;
	first->stamp = track->stamp;
	if (!scan_same_thread(t, &first->chunk)) {
		drop_first(t);
		return;
	}
	if (first->stamp < first->chunk.least_stamp)
		first->stamp = first->chunk.least_stamp;
	sift_down(t, 0);
}

/* The first entry may give events before those of all others: up to the key
 * of the second, which is one of its children. */
static uint64_t merge_limit(const struct trace *t)
{
	const struct merge_entry *heap = t->heap.at, *second;

	if (t->heap.count < 2)
		return UINT64_MAX;
	second = &heap[1];
	if (t->heap.count > 2 && is_before(&heap[2], second))
		second = &heap[2];
	if (heap[0].chunk.offset < second->chunk.offset &&
	    second->stamp < UINT64_MAX)
		return second->stamp + 1;
	return second->stamp;
}

/* Lets the thread whose turn it is be `current`: false at the end. */
static bool merge_turn(struct trace *t)
{
	if (!t->is_merging)
		merge_begin(t);
	if (t->current) {
		struct merge_entry *first = &t->heap.at[0];

		t->current = NULL;
		if (first->spool->at < first->spool->until ||
		    spool_fill(t, first->spool)) {
			first->stamp = first->spool->at->stamp;
			sift_down(t, 0);
		} else {
			close_first(t);
		}
	}
	while (t->heap.count > 0 && !t->heap.at[0].spool)
		open_first(t);
	if (t->heap.count == 0)
		return false;
	t->current = t->heap.at[0].spool;
	t->below = merge_limit(t);
	return true;
}

int trace_next(struct trace *t, struct event *e)
{
	struct spool *s = t->current;

	if (!s || s->at == s->until || s->at->stamp >= t->below) {
		if (!merge_turn(t))
			return 0;
		s = t->current;
	}
	*e = *s->at++;
	return 1;
}

/* ---- chunk by chunk ---- */

/* Whether the chunk counts: events, of a thread there can be, in order. */
static bool walk_accepts(const struct trace *t, const struct chunk *c)
{
	const struct track *track;

	if (c->type != CHUNK_EVENTS || c->thread >= t->tracks.count)
		return false;
	track = &t->tracks.at[c->thread];
	return !track->is_begun || c->sequence > track->sequence;
}

/* Opens the next chunk that has events: false at the end. */
static bool walk_on(struct trace *t)
{
	struct chunk c;

	while (scan_chunk(t, t->walked, &c)) {
		struct track *track;

		t->walked = chunk_behind(&c);
		if (!walk_accepts(t, &c))
			continue;
		track = &t->tracks.at[c.thread];
		track->sequence = c.sequence;
		track->is_begun = true;
		if (track->stamp < c.least_stamp)
			track->stamp = c.least_stamp;
		t->walker = spool_open(t, &c, track->stamp);
		if (t->walker)
			return true;
	}
	return false;
}

static bool walk_turn(struct trace *t)
{
	struct spool *s = t->walker;

	if (s) {
		if (spool_fill(t, s))
			return true;
		t->tracks.at[s->chunk.thread].stamp = s->floor;
		spool_close(t, s);
		t->walker = NULL;
	}
	return walk_on(t);
}

int trace_next_unordered(struct trace *t, struct event *e)
{
	struct spool *s = t->walker;

	if (!s || s->at == s->until) {
		if (!walk_turn(t))
			return 0;
		s = t->walker;
	}
	*e = *s->at++;
	return 1;
}

void trace_rewind(struct trace *t)
{
	for (size_t i = 0; i < t->heap.count; i++)
		spool_close(t, t->heap.at[i].spool);
	spool_close(t, t->walker);
	t->heap.count = 0;
	t->is_merging = false;
	t->current = t->walker = NULL;
	t->walked = t->chunks_at;
	for (size_t n = 0; n < t->tracks.count; n++) {
		t->tracks.at[n].stamp = 0;
		t->tracks.at[n].sequence = 0;
		t->tracks.at[n].is_begun = false;
	}
}
