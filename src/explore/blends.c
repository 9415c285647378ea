/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/blends.h"

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

void blends_done(struct blends *b)
{
	vec_free(&b->found);
	keymap_done(&b->sites);
	keymap_done(&b->left);
}
