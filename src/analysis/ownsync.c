/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/ownsync.h"

#include <stdlib.h>

#include "analysis/ownsync_inner.h"

struct ownsync *ownsync_new(void)
{
	struct ownsync *s = xcalloc(1, sizeof(*s));

	granules_init(&s->granules);
	vec_push(&s->places, (struct place){ 0 });
	return s;
}

void ownsync_free(struct ownsync *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->threads.count; i++) {
		vec_free(&s->threads.at[i].words);
		vec_free(&s->threads.at[i].fresh);
	}
	vec_free(&s->threads);
	vec_free(&s->places);
	vec_free(&s->queues);
	vec_free(&s->words);
	vec_free(&s->word_turns);
	vec_free(&s->woken);
	vec_free(&s->waiting_list);
	keymap_done(&s->waiting);
	keymap_done(&s->ends);
	keymap_done(&s->looked);
	keymap_done(&s->takers);
	keymap_done(&s->taken);
	keymap_done(&s->queue_at);
	keymap_done(&s->word_at);
	keymap_done(&s->locks);
	granules_done(&s->granules);
	free(s);
}

void ownsync_learn(struct ownsync *s, uint32_t site)
{
	uint32_t *known = keymap_at(&s->waiting, site, 0);

	if (!*known)
		vec_push(&s->waiting_list, site);
	*known = 1;
	s->has_loops = true;
}

const uint32_t *ownsync_waiting(const struct ownsync *s, size_t *count)
{
	*count = s->waiting_list.count;
	return s->waiting_list.at;
}

struct ownsync_thread *ownsync_thread_at(struct ownsync *s, uint32_t thread)
{
	while (s->threads.count <= thread)
		vec_push(&s->threads, (struct ownsync_thread){ 0 });
	return &s->threads.at[thread];
}

bool ownsync_is_write(unsigned int kind)
{
	return kind == EVENT_WRITE || kind == EVENT_VPTR_WRITE ||
	       kind == EVENT_ATOMIC_STORE || kind == EVENT_ATOMIC_RMW;
}

bool ownsync_is_read(unsigned int kind)
{
	return kind == EVENT_READ || kind == EVENT_VPTR_READ ||
	       kind == EVENT_ATOMIC_LOAD || kind == EVENT_ATOMIC_CAS_FAIL;
}

uint8_t ownsync_mask(const struct event *e, uint64_t at)
{
	uint64_t end = granules_end(e->addr, e->size);
	uint8_t mask = 0;

	for (unsigned int i = 0; i < GRANULE_BYTES; i++)
		if (at + i >= e->addr && at + i < end)
			mask |= (uint8_t)(1u << i);
	return mask;
}

static struct place *place_of(struct ownsync *s, uint64_t addr)
{
	const uint32_t *n = granule_peek(&s->granules, addr);

	return n && *n ? &s->places.at[*n] : NULL;
}

/* Notes stand where no memory is: apart from those of semaphores, and queues
 * apart from loops. */
static uint64_t loop_note(uint64_t addr)
{
	return UINT64_C(1) << 62 | (addr & ~(uint64_t)(GRANULE_BYTES - 1));
}

static uint64_t queue_note(uint64_t queue, uint64_t number)
{
	return UINT64_C(3) << 61 | queue << 40 | (number & 0xffffffff) << 3;
}

/* ---- loops ---- */

/* A loop that waits ends by a write since its last turn but one. One that comes
 * to its end by itself does so at any time. */
static bool ends_loop(struct ownsync *s, const struct ownsync_thread *t,
		      const struct event *e, const struct place *p)
{
	uint32_t *last = keymap_at(&s->looked, e->addr, e->thread);
	uint32_t before = *last;

	*last = s->fed;
	return keymap_find(&s->ends, e->thread, t->ordinal) &&
	       p->written > before;
}

/* One write ends the loop; where a loop waits for a condition, it may have
 * before it began. */
static void feed_awaited(struct ownsync *s, const struct ownsync_thread *t,
			 const struct event *e, uint32_t site,
			 struct ownsync_effect *f)
{
	uint64_t granule = e->addr & ~(uint64_t)(GRANULE_BYTES - 1);
	struct place *p = place_of(s, granule);
	uint8_t mask = ownsync_mask(e, granule);

	if (!p || !p->is_awaited || p->again & mask || !(p->once & mask))
		return;
	f->note = loop_note(e->addr);
	if (ownsync_is_write(e->kind)) {
		f->gives = e->thread != 0 || t->has_created;
		p->written = s->fed;
		return;
	}
	f->takes = ends_loop(s, t, e, p) || keymap_find(&s->waiting, site, 0);
}

/* ---- queues ---- */

/* What is put can be taken when the critical section is over. */
static void feed_queue(struct ownsync *s, struct ownsync_thread *t,
		       const struct event *e, struct ownsync_effect *f)
{
	uint32_t n = keymap_find(&s->queue_at, e->addr, 0);
	const struct queue *q = n ? &s->queues.at[n - 1] : NULL;

	if (!q || t->queue || !t->locked || q->putter == UINT32_MAX ||
	    !q->putter || (e->thread == 0 && !t->has_created))
		return;
	t->queue = n;
	if (keymap_find(&s->takers, n, e->thread)) {
		f->takes = true;
		f->note = queue_note(n, ++*keymap_at(&s->taken, n, e->thread));
	}
}

static void feed_unlock(struct ownsync *s, struct ownsync_thread *t,
			const struct event *e, struct ownsync_effect *f)
{
	struct queue *q = t->queue ? &s->queues.at[t->queue - 1] : NULL;

	if (q && q->putter == e->thread + 1) {
		f->gives = true;
		f->note = queue_note(t->queue, ++q->fed_puts);
	}
	t->queue = 0;
	if (t->locked)
		t->locked--;
}

/* ---- locks ---- */

static void feed_word(struct ownsync *s, const struct ownsync_thread *t,
		      const struct event *e, struct ownsync_effect *f)
{
	uint32_t n = keymap_find(&s->word_at, e->addr, 0);

	if (!n || !s->words.at[n - 1].is_lock || s->words.at[n - 1].threads < 2)
		return;
	f->locks = keymap_find(&s->locks, e->thread, t->ordinal) != 0;
	f->unlocks = e->kind == EVENT_ATOMIC_STORE;
}

/* ---- fresh memory ---- */

static struct fresh_block *fresh_at(struct ownsync_thread *t, uint64_t addr)
{
	for (size_t i = 0; i < t->fresh.count; i++)
		if (addr >= t->fresh.at[i].low && addr < t->fresh.at[i].high)
			return &t->fresh.at[i];
	return NULL;
}

static void feed_alloc(struct ownsync_thread *t, const struct event *e)
{
	if (t->fresh.count == FRESH_BLOCKS)
		t->fresh.count = 0;
	vec_push(&t->fresh, (struct fresh_block){ .low = e->addr,
						  .high = e->addr + e->size });
}

static void feed_free(struct ownsync_thread *t, const struct event *e)
{
	struct fresh_block *b = fresh_at(t, e->addr);

	if (b)
		*b = t->fresh.at[--t->fresh.count];
}

/* An address that is written to a block is known as soon as that block is. */
static void feed_fresh(struct ownsync *s, struct ownsync_thread *t,
		       const struct event *e, struct ownsync_effect *f)
{
	const struct place *p;

	if (!t->fresh.count)
		return;
	f->is_fresh = fresh_at(t, e->addr) != NULL;
	if (f->is_fresh || !ownsync_is_write(e->kind))
		return;
	p = place_of(s, e->addr);
	if (!p || p->is_shared)
		t->fresh.count = 0;
}

/* ---- events ---- */

static struct ownsync_effect feed_access(struct ownsync *s,
					 struct ownsync_thread *t,
					 const struct event *e, uint32_t site)
{
	struct ownsync_effect f = { 0 };

	t->ordinal++;
	s->fed++;
	feed_fresh(s, t, e, &f);
	feed_awaited(s, t, e, site, &f);
	if (!f.takes && !f.gives && ownsync_is_write(e->kind))
		feed_queue(s, t, e, &f);
	if (event_is_atomic(e->kind))
		feed_word(s, t, e, &f);
	return f;
}

struct ownsync_effect ownsync_feed(struct ownsync *s, const struct event *e,
				   uint32_t site)
{
	struct ownsync_thread *t = ownsync_thread_at(s, e->thread);
	struct ownsync_effect f = { 0 };

	if (event_is_plain_access(e->kind) || event_is_atomic(e->kind))
		return e->kind == EVENT_EARLIER_READ ||
				       e->kind == EVENT_EARLIER_WRITE ?
			       f :
			       feed_access(s, t, e, site);
	switch (e->kind) {
	case EVENT_ALLOC:
		feed_alloc(t, e);
		break;
	case EVENT_MUTEX_UNLOCK:
		feed_unlock(s, t, e, &f);
		break;
	case EVENT_MUTEX_LOCK:
		t->queue = 0;
		t->locked++;
		break;
	case EVENT_FREE:
		feed_free(t, e);
		break;
	case EVENT_THREAD_CREATE:
		t->has_created = true;
		t->fresh.count = 0;
		break;
	case EVENT_THREAD_END:
	case EVENT_NOTE_RELEASE:
	case EVENT_CALL:
	case EVENT_FORK:
	case EVENT_SIGNAL_BEGIN:
		t->fresh.count = 0;
		break;
	default:
		break;
	}
	return f;
}
