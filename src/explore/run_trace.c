/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/run_trace.h"

#include <string.h>

#include "format/event.h"
#include "format/rng.h"

/* ---- values ---- */

static const uint8_t *bytes_of(const struct run_trace *t,
			       const struct traced *e, const uint64_t *value)
{
	return e->size <= TRACED_BYTES ? (const uint8_t *)value :
					 t->pool + *value;
}

const uint8_t *run_trace_was(const struct run_trace *t, const struct traced *e)
{
	return bytes_of(t, e, &e->was);
}

const uint8_t *run_trace_becomes(const struct run_trace *t,
				 const struct traced *e)
{
	return bytes_of(t, e, &e->becomes);
}

static uint64_t word_at(const uint8_t *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return word;
}

static uint64_t hash_bytes(uint64_t h, const uint8_t *bytes, size_t size)
{
	while (size) {
		size_t n = size < 8 ? size : 8;

		h = rng_mix(h ^ rng_mix(word_at(bytes, n) + n));
		bytes += n;
		size -= n;
	}
	return h;
}

uint64_t run_trace_read(const struct run_trace *t, uint32_t line,
			const uint8_t *bytes)
{
	const struct traced *e = &t->lines[line];

	if (traced_is_access(e) && traced_reads(e) &&
	    !(e->flags & TRACED_UNREAD))
		return hash_bytes(1, bytes ? bytes : run_trace_was(t, e),
				  e->size);
	if (traced_tries(e))
		return bytes ? 2 + (uint64_t) !*bytes :
			       2 + (uint64_t) !!(e->flags & TRACED_TOOK);
	/* The number of the new thread. */
	if (e->kind == EVENT_THREAD_CREATE)
		return 6 +
		       (bytes ? word_at(bytes, sizeof(uint32_t)) : e->object);
	/* Whether it was the last to arrive. */
	if (e->kind == EVENT_BARRIER_ENTER)
		return bytes ? 4 + (uint64_t) !!*bytes :
			       4 + (uint64_t) !!(e->flags & TRACED_SERIAL);
	return 0;
}

uint64_t run_trace_left(const struct run_trace *t, const struct traced *e)
{
	return hash_bytes(1, run_trace_becomes(t, e), e->size);
}

/* What a line says that does not depend on what it read. */
static uint64_t hash_line(const struct traced *e)
{
	uint64_t object = e->kind == EVENT_THREAD_CREATE ? 0 : e->object;
	uint64_t h = rng_mix(object ^ (uint64_t)e->kind << 56);

	return rng_mix(h ^ ((uint64_t)e->site << 32 | e->size) ^
		       (uint64_t)(e->flags & TRACED_TIME) << 24);
}

/* ---- idle rounds ---- */

/* It wrote what had been there: a try of a lock that is a flag. */
static bool changes_nothing(const struct traced *e)
{
	return e->size <= TRACED_BYTES &&
	       !(e->flags & (TRACED_OPEN | TRACED_UNREAD)) &&
	       e->was == e->becomes;
}

static bool is_idle_kind(const struct traced *e)
{
	return !traced_writes(e) ||
	       (e->kind == EVENT_ATOMIC_RMW &&
		(e->flags & TRACED_FAILED || changes_nothing(e)));
}

static bool looks_like(const struct run_trace *t, uint32_t a, uint32_t b)
{
	const struct traced *x = &t->lines[a], *y = &t->lines[b];

	return is_idle_kind(x) && hash_line(x) == hash_line(y) &&
	       (x->flags & TRACED_TOOK) == (y->flags & TRACED_TOOK) &&
	       run_trace_read(t, a, NULL) == run_trace_read(t, b, NULL);
}

static bool is_idle_round(const struct run_trace *t, const struct run_thread *h,
			  uint32_t cycle)
{
	for (size_t i = h->lines.count - cycle; i < h->lines.count; i++)
		if (!is_idle_kind(&t->lines[h->lines.at[i]]))
			return false;
	return true;
}

/* Does the history end with the same `cycle` lines twice? */
static bool ends_twice(const struct run_trace *t, const struct run_thread *h,
		       uint32_t cycle)
{
	size_t end = h->lines.count;

	if (end < 2 * (size_t)cycle)
		return false;
	for (uint32_t i = 1; i <= cycle; i++)
		if (!looks_like(t, h->lines.at[end - i],
				h->lines.at[end - i - cycle]))
			return false;
	return true;
}

/* The thread is where it was a round ago: what it did since is forgotten, and
 * the rounds before that were the same. */
static void forget_rounds(const struct run_trace *t, struct run_thread *h,
			  uint32_t cycle)
{
	if (!cycle || h->lines.count < cycle || !is_idle_round(t, h, cycle))
		return;
	while (ends_twice(t, h, cycle))
		h->lines.count -= cycle;
	h->lines.count -= cycle;
}

/* ---- histories ---- */

static void add_history(const struct run_trace *t, struct run_thread *h)
{
	uint64_t hash = 1;

	vec_push(&h->history, hash);
	for (size_t i = 0; i < h->lines.count; i++) {
		uint32_t line = h->lines.at[i];

		hash = rng_mix(hash ^ hash_line(&t->lines[line])) +
		       rng_mix(run_trace_read(t, line, NULL));
		vec_push(&h->history, hash);
	}
}

static void add_histories(struct run_trace *t)
{
	for (uint32_t i = 0; i < t->line_count; i++) {
		const struct traced *e = &t->lines[i];
		struct run_thread *h = &t->threads[e->thread];

		if (e->flags & TRACED_SPIN)
			forget_rounds(t, h, e->cycle);
		vec_push(&h->lines, i);
	}
	for (uint32_t n = 0; n < t->thread_count; n++)
		add_history(t, &t->threads[n]);
}

static void take_pending(struct run_trace *t, const struct control *c)
{
	t->pending = xcalloc(t->thread_count + 1, sizeof(*t->pending));
	for (uint32_t n = 0; n < t->thread_count; n++) {
		const struct control_thread *k = &c->threads[n];

		if (k->state == THREAD_OVER || k->state == THREAD_UNUSED)
			continue;
		t->threads[n].waits = k->state == THREAD_BLOCKED;
		t->pending[t->pending_count++] =
			(struct traced){ .object = k->object,
					 .site = k->site,
					 .thread = (uint16_t)n,
					 .size = 1,
					 .other = NO_THREAD,
					 .kind = k->kind };
	}
}

/* Might that have ended a wait, had it come at another moment? */
static bool may_end(const struct traced *e, const struct traced *wait)
{
	if (e->thread == wait->thread)
		return false;
	switch (wait->kind) {
	case EVENT_THREAD_JOIN:
		return false; /* the thread has not ended, whoever waits */
	case EVENT_COND_WAIT:
		return e->object == wait->object &&
		       (e->kind == EVENT_COND_SIGNAL ||
			e->kind == EVENT_COND_BROADCAST);
	default:
		return traced_conflicts(e, wait);
	}
}

static void find_waiting(struct run_trace *t)
{
	for (uint32_t p = 0; p < t->pending_count; p++)
		for (uint32_t i = 0; i < t->line_count && !t->is_waiting; i++)
			t->is_waiting =
				t->threads[t->pending[p].thread].waits &&
				may_end(&t->lines[i], &t->pending[p]);
}

static void leave_out(struct run_trace *t, const struct keymap *unused)
{
	for (uint32_t i = 0; i < t->line_count; i++) {
		struct traced *e = &t->lines[i];

		if ((e->kind != EVENT_READ && e->kind != EVENT_ATOMIC_LOAD) ||
		    !keymap_find(unused, e->site, 0))
			continue;
		e->size = 0;
		t->unused++;
	}
}

static void mark_blends(struct run_trace *t, const struct keymap *sites)
{
	for (uint32_t i = 0; i < t->line_count; i++) {
		struct traced *e = &t->lines[i];

		if (e->kind == EVENT_WRITE && e->other == NO_THREAD &&
		    keymap_find(sites, e->site, 0))
			e->other = TRACED_BLENDS;
	}
}

struct run_trace *run_trace_take(const struct region *r,
				 const struct keymap *unused,
				 const struct keymap *blends)
{
	const struct traced_area *a = &r->traced;
	struct run_trace *t = xcalloc(1, sizeof(*t));

	t->line_count = a->count;
	t->lines = xmalloc((t->line_count + 1) * sizeof(*t->lines));
	memcpy(t->lines, a->entries, t->line_count * sizeof(*t->lines));
	t->pool = xmalloc(a->pool_used + 1);
	memcpy(t->pool, a->pool, a->pool_used);
	t->thread_count = r->control.run.thread_count;
	t->threads = xcalloc(t->thread_count + 1, sizeof(*t->threads));
	t->unmodelled = a->unmodelled;
	t->learned = a->learned;
	t->is_cut = a->is_full;
	t->is_timed = a->is_timed;
	take_pending(t, &r->control);
	find_waiting(t);
	if (unused)
		leave_out(t, unused);
	mark_blends(t, blends);
	add_histories(t);
	return t;
}

void run_trace_free(struct run_trace *t)
{
	if (!t)
		return;
	for (uint32_t n = 0; n < t->thread_count; n++) {
		vec_free(&t->threads[n].lines);
		vec_free(&t->threads[n].history);
	}
	free(t->threads);
	free(t->lines);
	free(t->pool);
	free(t->pending);
	free(t);
}

bool run_trace_place(const struct run_trace *t, uint32_t line, uint32_t *place)
{
	const struct run_thread *h = &t->threads[t->lines[line].thread];
	size_t low = 0, high = h->lines.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (h->lines.at[middle] < line)
			low = middle + 1;
		else
			high = middle;
	}
	*place = (uint32_t)low;
	return low < h->lines.count && h->lines.at[low] == line;
}

uint32_t run_trace_shared(const struct run_thread *a,
			  const struct run_thread *b)
{
	size_t low = 0, high = a->lines.count;

	if (b->lines.count < high)
		high = b->lines.count;
	/* history[0] is the same always. */
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (a->history.at[middle] == b->history.at[middle])
			low = middle;
		else
			high = middle - 1;
	}
	return (uint32_t)low;
}

uint64_t run_trace_class(const struct run_trace *t)
{
	uint64_t h = t->thread_count;

	for (uint32_t n = 0; n < t->thread_count; n++) {
		const struct run_thread *k = &t->threads[n];

		h = rng_mix(h ^ k->history.at[k->lines.count]);
	}
	return h;
}

bool run_trace_is_alike(const struct run_trace *a, uint32_t i,
			const struct run_trace *b, uint32_t k)
{
	return a->lines[i].thread == b->lines[k].thread &&
	       hash_line(&a->lines[i]) == hash_line(&b->lines[k]);
}

uint32_t run_trace_differ(const struct run_trace *a, const struct run_trace *b)
{
	uint32_t end = a->line_count < b->line_count ? a->line_count :
						       b->line_count;

	for (uint32_t i = 0; i < end; i++)
		if (!run_trace_is_alike(a, i, b, i) ||
		    run_trace_read(a, i, NULL) != run_trace_read(b, i, NULL))
			return i;
	return end;
}
