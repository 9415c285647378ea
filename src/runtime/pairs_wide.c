/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs_granules.h"
#include "runtime/latch.h"

/*
 * Granules with a list: of each access that still counts its word, with the
 * bytes it still counts for, and its moment. A list is changed by whoever has
 * its latch, and belongs to the granule whose first word points to it; so
 * whoever comes looks again once it has the latch. Lists that became too small,
 * or whose memory began anew, are used again, always as lists.
 */

struct wide {
	struct latch latch;
	uint16_t room;
	struct wide *next; /* while nobody has it */
	struct entry all[];
};

enum { ROOM_FIRST = 7, CLASSES = 16 };

static struct {
	struct latch latch;
	struct wide *free;
} classes[CLASSES];

static uint32_t class_room(uint32_t class)
{
	return (ROOM_FIRST << class) + (1U << class) - 1;
}

static struct wide *wide_new(uint32_t class)
{
	struct wide *w = NULL;

	if (class >= CLASSES - 4)
		return NULL;
	latch_take(&classes[class].latch);
	w = classes[class].free;
	if (w)
		classes[class].free = w->next;
	latch_give(&classes[class].latch);
	if (!w) {
		w = guest_map(sizeof(*w) +
			      (size_t)class_room(class) * sizeof(w->all[0]));
		if (w)
			w->room = (uint16_t)class_room(class);
	}
	return w;
}

static uint32_t class_of(const struct wide *w)
{
	uint32_t class = 0;

	while (class_room(class) < w->room)
		class ++;
	return class;
}

static void wide_free(struct wide *w)
{
	uint32_t class = class_of(w);

	latch_take(&classes[class].latch);
	w->next = classes[class].free;
	classes[class].free = w;
	latch_give(&classes[class].latch);
}

static struct wide *wide_of(uint64_t word)
{
	return (struct wide *)(uintptr_t)(word & ~GRANULE_WIDE);
}

static uint64_t word_of(const struct wide *w)
{
	return (uintptr_t)w | GRANULE_WIDE;
}

static struct entries entries_of(struct wide *w)
{
	return (struct entries){ .near = w->all,
				 .far = w->all + 2,
				 .count = w->room };
}

static void wide_fill(struct wide *w, struct entries from)
{
	for (uint32_t i = 0; i < w->room; i++) {
		bool is = i < from.count;

		w->all[i].word = is ? entries_word(from, i) : 0;
		w->all[i].at = is ? entry_get(&entries_at(from, i)->at) : 0;
	}
}

/* Makes a list of what the granule has, whose first word is given; false:
 * somebody else did, or came. */
static bool widen(struct granule *g, uint64_t first, struct wide *w)
{
	struct entries e = granule_entries(g);

	wide_fill(w, e);
	w->all[0].word = entry_is_free(first) ? 0 : first & ~WORD_FAR;
	/* Pairs with the acquire in wide_take. */
	if (!__atomic_compare_exchange_n(&g->near[0].word, &first, word_of(w),
					 false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		return false;
	entry_put(&g->near[1].word, 0);
	return true;
}

/* The granule's list, latched; NULL when there is no memory. */
static struct wide *wide_take(struct granule *g)
{
	for (;;) {
		uint64_t word =
			__atomic_load_n(&g->near[0].word, __ATOMIC_ACQUIRE);
		struct wide *w;

		if (!granule_is_wide(word)) {
			w = wide_new(0);
			if (!w)
				return NULL;
			if (!widen(g, word, w))
				wide_free(w);
			continue;
		}
		w = wide_of(word);
		latch_take(&w->latch);
		if (entry_get(&g->near[0].word) == word)
			return w;
		latch_give(&w->latch);
	}
}

/* A latched list with twice the room instead of a latched one that is full;
 * NULL: there is none. */
static struct wide *wide_grow(struct granule *g, struct wide *w)
{
	struct wide *more = wide_new(class_of(w) + 1);

	if (!more)
		return NULL;
	wide_fill(more, entries_of(w));
	latch_take(&more->latch);
	__atomic_store_n(&g->near[0].word, word_of(more), __ATOMIC_RELEASE);
	latch_give(&w->latch);
	wide_free(w);
	return more;
}

/* Adds to the latched list, and gives the latch back. */
static void wide_add(struct granule *g, struct wide *w,
		     const struct entry *made)
{
	uint32_t room = entries_room(entries_of(w));

	if (room == w->room) {
		struct wide *more = wide_grow(g, w);

		/* Where there is no more, one is forgotten. */
		room = more ? room : 0;
		w = more ? more : w;
	}
	w->all[room] = *made;
	latch_give(&w->latch);
}

void pairs_wide_add(struct granule *g, const struct entry *made)
{
	struct wide *w = wide_take(g);

	if (w)
		wide_add(g, w, made);
}

void pairs_wide(struct thread *t, struct granule *g, const struct entry *made,
		uintptr_t addr)
{
	struct wide *w = wide_take(g);

	if (!w)
		return;
	entries_access(t, entries_of(w), made, addr);
	wide_add(g, w, made);
}

void pairs_wide_forget(struct granule *g)
{
	uint64_t word = __atomic_load_n(&g->near[0].word, __ATOMIC_ACQUIRE);
	struct wide *w = wide_of(word);

	if (!granule_is_wide(word))
		return;
	latch_take(&w->latch);
	if (__atomic_compare_exchange_n(&g->near[0].word, &word, 0, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		latch_give(&w->latch);
		wide_free(w);
		return;
	}
	latch_give(&w->latch);
}
