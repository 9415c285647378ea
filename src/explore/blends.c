/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/blends.h"

#include "explore/lives.h"
#include "format/event.h"
#include "format/rng.h"

enum { KEPT_MOST = 1 << 20 };

static bool is_plain_write(const struct traced *e)
{
	return e->kind == EVENT_WRITE && e->other != TRACED_FREES &&
	       !(e->flags & (TRACED_OPEN | TRACED_UNREAD));
}

/* Did the same thread leave something else here, having read the same? */
static bool is_other(struct blends *b, const struct run_trace *t,
		     uint64_t history, const struct traced *e)
{
	uint32_t left = (uint32_t)run_trace_left(t, e) | 1;
	uint64_t key = history ^ rng_mix(e->object);
	uint32_t known = keymap_find(&b->left, key, e->thread);

	if (known)
		return known != left;
	if (b->kept < KEPT_MOST) {
		*keymap_at(&b->left, key, e->thread) = left;
		b->kept++;
	}
	return false;
}

static bool look(struct blends *b, const struct run_trace *t,
		 const struct run_thread *h)
{
	bool is_new = false;

	/* Whether the last line was done nobody knows. */
	for (size_t i = 0; i + 1 < h->lines.count; i++) {
		const struct traced *e = &t->lines[h->lines.at[i]];

		if (!is_plain_write(e) || keymap_find(&b->sites, e->site, 0) ||
		    !is_other(b, t, h->history.at[i], e))
			continue;
		vec_push(&b->found, e->site);
		is_new = true;
	}
	return is_new;
}

bool blends_learn(struct blends *b, const struct run_trace *t)
{
	bool is_new = false;

	for (uint32_t n = 0; n < t->thread_count; n++)
		is_new |= look(b, t, &t->threads[n]);
	return is_new;
}

void blends_settle(struct blends *b)
{
	if (!b->found.count)
		return;
	for (size_t i = 0; i < b->found.count; i++)
		*keymap_at(&b->sites, b->found.at[i], 0) = 1;
	b->found.count = 0;
	keymap_done(&b->left);
	b->kept = 0;
}

/* ---- who can come in between ---- */

/* Locks by bit, as far as there are bits; those beyond protect nothing. */
struct held {
	const struct run_trace *t;
	struct keymap numbers;
	uint32_t count;
	uint64_t *now;	/* by thread */
	uint64_t *then; /* by line */
};

static uint64_t lock_bit(struct held *h, uint64_t lock)
{
	uint32_t *n = keymap_at(&h->numbers, lock, 0);

	if (!*n)
		*n = ++h->count;
	return *n <= 64 ? UINT64_C(1) << (*n - 1) : 0;
}

static void held_init(struct held *h, const struct run_trace *t)
{
	*h = (struct held){
		.t = t,
		.now = xcalloc(t->thread_count + 1, sizeof(*h->now)),
		.then = xcalloc(t->line_count + 1, sizeof(*h->then)),
	};
	for (uint32_t i = 0; i < t->line_count; i++) {
		const struct traced *e = &t->lines[i];
		uint64_t lock = traced_lock(e), *now = &h->now[e->thread];

		if (lock && e->flags & TRACED_TOOK)
			*now |= lock_bit(h, lock);
		if (lock && e->flags & TRACED_LEFT)
			*now &= ~lock_bit(h, lock);
		h->then[i] = *now;
	}
}

static void held_done(struct held *h)
{
	keymap_done(&h->numbers);
	free(h->now);
	free(h->then);
}

static bool is_unprotected(const void *arg, uint32_t line, uint32_t other)
{
	const struct held *h = arg;

	return traced_writes(&h->t->lines[other]) &&
	       !(h->then[line] & h->then[other]);
}

bool blends_are_torn(const struct blends *b, const struct run_trace *t)
{
	struct lives lives;
	struct held held;
	bool is_torn = false;

	if (!b->sites.count)
		return false;
	held_init(&held, t);
	lives_init(&lives, t);
	for (uint32_t i = 0; i < t->line_count && !is_torn; i++)
		is_torn = t->lines[i].kind == EVENT_WRITE &&
			  t->lines[i].other == TRACED_BLENDS &&
			  lives_beside(&lives, i, is_unprotected, &held);
	lives_done(&lives);
	held_done(&held);
	return is_torn;
}

void blends_done(struct blends *b)
{
	vec_free(&b->found);
	keymap_done(&b->sites);
	keymap_done(&b->left);
}
