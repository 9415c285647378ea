/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "analysis/ownsync_inner.h"

/*
 * Looking ahead. The first time, memory is written down, who was there and how
 * often it was written, and each thread's reads are compared with its reads
 * before: so loops that wait are found, and words that are locks. The second
 * time it is known which loops wait: what they read is marked, and what is put
 * and taken is counted.
 */

/* ---- memory ---- */

static struct place *place_at(struct ownsync *s, uint64_t addr)
{
	uint32_t *n = granule_at(&s->granules, addr);

	if (!*n) {
		*n = (uint32_t)s->places.count;
		vec_push(&s->places, (struct place){ 0 });
	}
	return &s->places.at[*n];
}

/* What is written before there are other threads is how memory begins. */
static void note_write(struct ownsync *s, struct place *p,
		       const struct event *e, uint8_t mask)
{
	const struct ownsync_thread *t = ownsync_thread_at(s, e->thread);

	if (e->thread == 0 && !t->has_created)
		return;
	p->again |= p->once & mask;
	p->once |= mask;
	p->stamp = t->stamp;
}

static void note_memory(struct ownsync *s, const struct event *e, bool writes)
{
	enum { MOST = 1 << 16 };
	uint64_t end = granules_end(e->addr, e->size < MOST ? e->size : MOST);

	for (uint64_t at = e->addr & ~(uint64_t)(GRANULE_BYTES - 1); at < end;
	     at += GRANULE_BYTES) {
		struct place *p = place_at(s, at);

		if (p->thread && p->thread != e->thread + 1)
			p->is_shared = true;
		p->thread = e->thread + 1;
		if (writes)
			note_write(s, p, e, ownsync_mask(e, at));
	}
}

/* The write that comes before a block is freed gives nobody a value. */
static void end_write(struct ownsync *s, struct ownsync_thread *t,
		      const struct event *e)
{
	struct event last = t->write;

	t->write.size = 0;
	if (last.size && (e->kind != EVENT_FREE || e->addr != last.addr))
		note_memory(s, &last, true);
}

/* ---- loops with nothing in them ---- */

/* Of the last turn of a loop. Written between it and the turn before, it waits
 * there in other runs too. */
static void end_read(struct ownsync *s, const struct ownsync_thread *t,
		     uint32_t n, uint32_t thread)
{
	const struct seen_read *r = &t->recent[n];

	*keymap_at(&s->ends, thread, r->ordinal) = 1;
	if (n >= t->period)
		vec_push(&s->woken,
			 (struct woken_read){
				 .addr = r->addr,
				 .from = t->recent[n - t->period].stamp,
				 .to = r->stamp,
				 .site = r->site });
}

/* The loop in hand is over: if it waited, its last turn ended it. */
static void end_loop(struct ownsync *s, struct ownsync_thread *t,
		     uint32_t thread)
{
	uint32_t turns = t->is_plain ? TURNS_PLAIN : TURNS_ATOMIC;

	if (t->period && t->alike >= turns * t->period) {
		for (uint32_t i = 0; i < t->period; i++)
			end_read(s, t, t->recent_count - 1 - i, thread);
		s->has_loops = true;
	}
	t->recent_count = t->period = t->alike = 0;
	t->is_plain = false;
}

/* How far back the same read was made, 0: it was not. */
static uint32_t distance_back(const struct ownsync_thread *t,
			      const struct seen_read *r)
{
	for (uint32_t i = 1; i <= t->recent_count && i <= LOOP_READS; i++) {
		const struct seen_read *o = &t->recent[t->recent_count - i];

		if (o->addr == r->addr && o->site == r->site)
			return i;
	}
	return 0;
}

static void remember_read(struct ownsync_thread *t, const struct seen_read *r)
{
	if (t->recent_count == RECENT) {
		memmove(t->recent, t->recent + RECENT - LOOP_READS,
			LOOP_READS * sizeof(*t->recent));
		t->recent_count = LOOP_READS;
	}
	t->recent[t->recent_count++] = *r;
}

static void loop_read(struct ownsync *s, struct ownsync_thread *t,
		      const struct event *e, const struct seen_read *r)
{
	uint32_t back = distance_back(t, r);

	if (t->period && back != t->period)
		end_loop(s, t, e->thread);
	if (back && t->recent_count) {
		t->period = back;
		t->alike++;
	}
	t->is_plain |= !event_is_atomic(e->kind);
	remember_read(t, r);
}

/* ---- loops around a condition ---- */

static uint32_t queue_of(struct ownsync *s, uint64_t cond)
{
	for (uint32_t i = 0; i < s->queues.count; i++)
		if (s->queues.at[i].cond == cond)
			return i + 1;
	vec_push(&s->queues, (struct queue){ .cond = cond });
	return (uint32_t)s->queues.count;
}

/* Compilers make two reads of one: the first test of a loop is not where the
 * others are. */
static void condition_read(struct ownsync *s, const struct ownsync_thread *t,
			   const struct seen_read *r, uint32_t thread)
{
	struct woken_read woken = { .addr = r->addr,
				    .from = t->wait_stamp,
				    .to = t->stamp,
				    .site = r->site };
	uint32_t queue, *known, i = 0;

	while (i < t->before_count && t->before[i].addr != r->addr)
		i++;
	if (i == t->before_count)
		return;
	vec_push(&s->woken, woken);
	woken.site = t->before[i].site;
	vec_push(&s->woken, woken);
	queue = queue_of(s, t->cond);
	*keymap_at(&s->takers, queue, thread) = 1;
	known = keymap_at(&s->queue_at, r->addr, 0);
	if (!*known)
		*known = queue;
	s->has_loops = true;
}

static void begin_wait(struct ownsync_thread *t, const struct event *e)
{
	t->before_count = 0;
	for (uint32_t i = 0; i < t->recent_count && i < LOOP_READS; i++)
		t->before[t->before_count++] =
			t->recent[t->recent_count - 1 - i];
	t->cond = e->addr;
	t->wait_stamp = e->stamp;
	t->waits = true;
}

/* ---- locks of atomics ---- */

static struct held_word *held_word_at(struct ownsync_thread *t, uint64_t addr)
{
	for (size_t i = 0; i < t->words.count; i++)
		if (t->words.at[i].addr == addr)
			return &t->words.at[i];
	vec_push(&t->words, (struct held_word){ .addr = addr });
	return &t->words.at[t->words.count - 1];
}

static struct word *word_of(struct ownsync *s, uint64_t addr)
{
	uint32_t *n = keymap_at(&s->word_at, addr, 0);

	if (!*n) {
		vec_push(&s->words,
			 (struct word){ .addr = addr, .is_lock = true });
		*n = (uint32_t)s->words.count;
	}
	return &s->words.at[*n - 1];
}

/* Who does not get a lock tries again. Without that an exchange before a store
 * may be anything. */
static void word_try(struct ownsync *s, struct word *w,
		     const struct held_word *h, const struct event *e,
		     uint32_t site)
{
	if (h->last || e->kind == EVENT_ATOMIC_CAS_FAIL)
		ownsync_learn(s, site);
	if (keymap_find(&s->waiting, site, 0))
		w->is_tried_again = true;
}

/* Each store has an exchange of its thread before it, that locked. */
static void word_event(struct ownsync *s, struct ownsync_thread *t,
		       const struct event *e, uint32_t site)
{
	struct held_word *h;
	struct word *w;

	if (!event_is_atomic(e->kind) || e->kind == EVENT_ATOMIC_LOAD)
		return;
	h = held_word_at(t, e->addr);
	w = word_of(s, e->addr);
	if (e->kind != EVENT_ATOMIC_STORE)
		word_try(s, w, h, e, site);
	if (e->kind == EVENT_ATOMIC_CAS_FAIL)
		return;
	if (e->kind == EVENT_ATOMIC_RMW) {
		h->last = t->ordinal;
		h->stamp = e->stamp;
		return;
	}
	if (!h->last) {
		/* main sets it before there is anybody */
		if (e->thread != 0 || t->has_created)
			w->is_lock = false;
		return;
	}
	*keymap_at(&s->locks, e->thread, h->last) = 1;
	vec_push(&s->word_turns,
		 (struct word_turn){ .from = h->stamp,
				     .to = e->stamp,
				     .word = (uint32_t)(w - s->words.at),
				     .thread = e->thread });
	h->last = 0;
	w->threads += w->last != e->thread + 1;
	w->last = e->thread + 1;
}

static int compare_turns(const void *a, const void *b)
{
	const struct word_turn *x = a, *y = b;

	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Two were in at once: it keeps nobody out. */
static void check_words(struct ownsync *s)
{
	const struct word_turn *last = NULL;

	for (size_t i = 0; i < s->words.count; i++)
		s->words.at[i].is_lock &= s->words.at[i].is_tried_again;
	if (s->word_turns.count)
		qsort(s->word_turns.at, s->word_turns.count,
		      sizeof(*s->word_turns.at), compare_turns);
	for (size_t i = 0; i < s->word_turns.count; i++) {
		const struct word_turn *t = &s->word_turns.at[i];

		if (last && last->word == t->word && t->from < last->to &&
		    t->thread != last->thread)
			s->words.at[t->word].is_lock = false;
		if (!last || last->word != t->word || t->to > last->to)
			last = t;
	}
	s->word_turns.count = 0;
}

/* ---- the second time ---- */

static void mark_awaited(struct ownsync *s, const struct event *e,
			 uint32_t site, uint32_t ordinal)
{
	if (keymap_find(&s->waiting, site, 0) ||
	    keymap_find(&s->ends, e->thread, ordinal))
		place_at(s, e->addr)->is_awaited = true;
}

static void count_queue(struct ownsync *s, struct ownsync_thread *t,
			const struct event *e)
{
	uint32_t n = keymap_find(&s->queue_at, e->addr, 0);
	struct queue *q = n ? &s->queues.at[n - 1] : NULL;

	if (!q || t->queue || !t->locked || (e->thread == 0 && !t->has_created))
		return;
	t->queue = n;
	if (keymap_find(&s->takers, n, e->thread)) {
		q->takes++;
		return;
	}
	q->puts++;
	if (!q->putter)
		q->putter = e->thread + 1;
	else if (q->putter != e->thread + 1)
		q->putter = UINT32_MAX;
}

/* ---- events ---- */

static void foresee_access(struct ownsync *s, struct ownsync_thread *t,
			   const struct event *e, uint32_t site)
{
	struct seen_read r = { .addr = e->addr,
			       .stamp = t->stamp,
			       .site = site,
			       .ordinal = ++t->ordinal };

	if (s->times) {
		if (ownsync_is_read(e->kind))
			mark_awaited(s, e, site, r.ordinal);
		if (ownsync_is_write(e->kind))
			count_queue(s, t, e);
		return;
	}
	note_memory(s, e, false);
	word_event(s, t, e, site);
	if (ownsync_is_write(e->kind)) {
		t->write = *e;
		end_loop(s, t, e->thread);
		t->before_count = 0;
		return;
	}
	condition_read(s, t, &r, e->thread);
	loop_read(s, t, e, &r);
}

/* A lock that is taken again after a wait begins nothing. */
static void foresee_lock(struct ownsync *s, struct ownsync_thread *t,
			 const struct event *e)
{
	bool is_again = t->waits && (e->kind == EVENT_MUTEX_UNLOCK ||
				     e->kind == EVENT_MUTEX_LOCK);

	if (e->kind == EVENT_MUTEX_LOCK) {
		t->waits = false;
		t->locked++;
	} else if (t->locked) {
		t->locked--;
	}
	t->queue = 0;
	end_loop(s, t, e->thread);
	if (!is_again)
		t->before_count = 0;
}

void ownsync_foresee(struct ownsync *s, const struct event *e, uint32_t site)
{
	struct ownsync_thread *t;

	if (e->kind == EVENT_EARLIER_READ || e->kind == EVENT_EARLIER_WRITE)
		return;
	t = ownsync_thread_at(s, e->thread);
	if (!s->times && e->kind != EVENT_TIME)
		end_write(s, t, e);
	if (event_fields(e->kind) & FIELD_STAMP)
		t->stamp = e->stamp;
	if (event_is_plain_access(e->kind) || event_is_atomic(e->kind)) {
		foresee_access(s, t, e, site);
	} else if (e->kind == EVENT_COND_WAIT) {
		begin_wait(t, e);
	} else if (e->kind == EVENT_MUTEX_LOCK ||
		   e->kind == EVENT_MUTEX_UNLOCK) {
		foresee_lock(s, t, e);
	} else if (e->kind == EVENT_THREAD_CREATE) {
		t->has_created = true;
		end_loop(s, t, e->thread);
	} else if (event_order(e->kind, e->arg)) {
		if (e->kind != EVENT_COND_WAKE)
			end_loop(s, t, e->thread);
	}
}

/* ---- between ---- */

static void forget_thread(struct ownsync_thread *t)
{
	vec_free(&t->words);
	*t = (struct ownsync_thread){ 0 };
}

/* A loop waits for what was written while it did. */
static void find_waiting(struct ownsync *s)
{
	for (size_t i = 0; i < s->woken.count; i++) {
		const struct woken_read *r = &s->woken.at[i];
		const struct place *p = place_at(s, r->addr);

		if (p->once && p->stamp >= r->from && p->stamp <= r->to)
			ownsync_learn(s, r->site);
	}
	s->woken.count = 0;
}

/* A queue that was emptied, by others than the one who puts. */
static bool is_queue(const struct queue *q)
{
	return q->puts && q->puts == q->takes && q->putter != UINT32_MAX;
}

bool ownsync_wants_more(struct ownsync *s)
{
	for (uint32_t i = 0; i < s->threads.count; i++) {
		end_write(s, &s->threads.at[i], &(struct event){ 0 });
		end_loop(s, &s->threads.at[i], i);
		forget_thread(&s->threads.at[i]);
	}
	find_waiting(s);
	check_words(s);
	for (size_t i = 0; s->times && i < s->queues.count; i++)
		if (!is_queue(&s->queues.at[i]))
			s->queues.at[i].putter = UINT32_MAX;
	return !s->times++ && s->has_loops;
}
