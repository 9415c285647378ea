/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/pairs_granules.h"

/*
 * What an access does to its granule. Most accesses change little: they make no
 * pair or a single one, and take the place of an earlier one of their thread,
 * or a free one. Those, and writes of all eight bytes, are settled here from
 * one look at the words; the rest goes the way of entries.h.
 */

enum { NONE = GRANULE_ENTRIES };

/* Several threads read, over and over, what nobody writes: they would take the
 * granule from each other with every read. So their words are marked as such
 * that stay, and a read at the same place as before leaves the moment of that
 * one. */

/* The words of a granule, each read once; those of far places that are closed
 * are 0. */
struct look {
	uint64_t words[GRANULE_ENTRIES];
};

static inline __attribute__((always_inline)) struct look granule_look(
	struct granule *g)
{
	struct look l = { .words = { entry_get(&g->near[0].word),
				     entry_get(&g->near[1].word) } };

	if (l.words[0] & WORD_FAR) {
		l.words[2] = entry_get(&granule_far(g)[0].word);
		l.words[3] = entry_get(&granule_far(g)[1].word);
	}
	return l;
}

static inline struct entry *granule_entry(struct granule *g, uint32_t i)
{
	return i < GRANULE_NEAR ? &g->near[i] :
				  &granule_far(g)[i - GRANULE_NEAR];
}

/* Puts an access into place i; `first` is the granule's first word. */
static inline void granule_put(struct granule *g, uint32_t i, uint64_t first,
			       const struct entry *made)
{
	uint64_t far = first & WORD_FAR;

	entry_set(granule_entry(g, i), made->word | (i ? 0 : far), made->at);
	if (i < GRANULE_NEAR || far)
		return;
	/* It opens the far places. */
	entry_put(&granule_far(g)[1].word, 0);
	entry_put(&g->near[0].word, first | WORD_FAR);
	granule_use(granule_far(g));
}

static inline void granule_clear(struct granule *g, uint32_t i, uint64_t word)
{
	entry_put(&granule_entry(g, i)->word, word & WORD_FAR);
}

/* What an access does to a granule that makes no pair or a single one. */
struct change {
	uint32_t put;	/* where it goes */
	uint32_t clear; /* what it takes away besides, or NONE */
	uint32_t head;	/* what it makes a pair with, or NONE */
	bool is_known;	/* a read that was there before */
	bool is_shared; /* others read there too */
};

/* True: it makes no pair, and the change is simple. That is so when nobody else
 * has been there since the thread did the same to the same bytes, or only to
 * read as it does. Or it is a read of bytes that one other thread has written,
 * the first of its thread. */
static inline __attribute__((always_inline)) bool change_find(
	const struct look *l, uint64_t word, bool is_write, struct change *c)
{
	uint64_t bytes = word & PAIR_BYTES;
	uint32_t room = NONE;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		uint64_t old = l->words[i];

		if (!(old & bytes)) {
			if (entry_is_free(old) && room == NONE)
				room = i;
			continue;
		}
		if (entry_is_other(old, word)) {
			if (is_write)
				return false;
			if (pair_kind(old) == PAIR_READ)
				c->is_shared = true;
			else if (c->head != NONE)
				return false;
			else
				c->head = i;
			continue;
		}
		if (!is_write && pair_kind(old) != PAIR_READ)
			continue;
		if (old & PAIR_BYTES & ~bytes || c->clear != NONE)
			return false;
		c->clear = c->put;
		c->put = i;
		c->is_known = (old & PAIR_BYTES) == bytes;
	}
	if (c->is_known)
		c->head = NONE;
	else if (c->head != NONE && c->put != NONE)
		return false;
	if (c->put == NONE)
		c->put = room;
	return c->put != NONE;
}

static void granule_share(struct granule *g, const struct look *l,
			  uint64_t bytes)
{
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		uint64_t old = l->words[i];

		/* Not when its thread has put another there meanwhile. */
		if (old & bytes && pair_kind(old) == PAIR_READ &&
		    !(old & WORD_STAYS))
			__atomic_compare_exchange_n(&granule_entry(g, i)->word,
						    &old, old | WORD_STAYS,
						    false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	}
}

/* A read that came again and lies far changes places with a write that lies
 * near, if there is one: it may come more often. Where it goes: */
static uint32_t granule_swap(struct granule *g, const struct look *l,
			     uint32_t far)
{
	for (uint32_t i = GRANULE_NEAR; i-- > 0;) {
		if (entry_is_free(l->words[i]) ||
		    pair_kind(l->words[i]) == PAIR_READ)
			continue;
		entry_set(granule_entry(g, far), l->words[i] & ~WORD_FAR,
			  entry_get(&g->near[i].at));
		return i;
	}
	return far;
}

/* Tells the pair of entry i, whose word is given, and an access. */
static inline void granule_emit(struct thread *t, struct granule *g, uint32_t i,
				uint64_t word, const struct entry *made,
				uintptr_t addr)
{
	struct entry head = { .word = word,
			      .at = entry_get(&granule_entry(g, i)->at) };

	pairs_emit(t, head, *made, addr);
}

/* True: that was all. */
static inline __attribute__((always_inline)) bool granule_again(
	struct thread *t, struct granule *g, const struct look *l,
	const struct entry *made, bool is_write, uintptr_t addr)
{
	struct change c = { .put = NONE, .clear = NONE, .head = NONE };

	if (!change_find(l, made->word, is_write, &c))
		return false;
	if (c.head != NONE)
		granule_emit(t, g, c.head, l->words[c.head], made, addr);
	if (!is_write && unlikely(c.is_known && c.put >= GRANULE_NEAR))
		c.put = granule_swap(g, l, c.put);
	granule_put(g, c.put, l->words[0], made);
	if (c.clear != NONE)
		granule_clear(g, c.clear, l->words[c.clear]);
	if (!is_write && c.is_shared && !controlled) {
		struct look now = granule_look(g);

		granule_share(g, &now, made->word & PAIR_BYTES);
	}
	return true;
}

/* Tells the pairs of a write of all eight bytes: with all that others have
 * read, and with what they have written of `unread` bytes. */
static __attribute__((noinline)) void over_emit(
	struct thread *t, struct granule *g, const struct look *l,
	uint64_t unread, const struct entry *made, uintptr_t addr)
{
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++)
		if (!entry_is_free(l->words[i]) &&
		    pair_kind(l->words[i]) == PAIR_READ &&
		    entry_is_other(l->words[i], made->word))
			granule_emit(t, g, i, l->words[i], made, addr);
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++)
		if (l->words[i] & unread &&
		    pair_kind(l->words[i]) != PAIR_READ &&
		    entry_is_other(l->words[i], made->word))
			granule_emit(t, g, i, l->words[i], made, addr);
}

/* Such a write takes everything, and closes the far places. */
static inline void granule_over(struct thread *t, struct granule *g,
				const struct look *l, const struct entry *made,
				uintptr_t addr)
{
	uint64_t unread = PAIR_BYTES, others = 0, written = 0;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		uint64_t old = l->words[i];
		uint64_t of_other = entry_is_other(old, made->word) ? old : 0;

		if (pair_kind(old) == PAIR_READ) {
			unread &= ~old;
			others |= of_other;
		} else {
			written |= of_other;
		}
	}
	if ((others | (written & unread)) & PAIR_BYTES)
		over_emit(t, g, l, unread, made, addr);
	entry_set(&g->near[0], made->word, made->at);
	entry_put(&g->near[1].word, 0);
}

/* The older one of two or more that the thread of `word` has; NONE: it has not
 * so many. */
static uint32_t granule_oldest(struct entries e, uint64_t word)
{
	uint32_t oldest = NONE, count = 0;

	for (uint32_t i = 0; i < e.count; i++) {
		if (entry_is_other(entries_word(e, i), word))
			continue;
		count++;
		if (oldest == NONE ||
		    entry_get(&entries_at(e, i)->at) <
			    entry_get(&entries_at(e, oldest)->at))
			oldest = i;
	}
	return count > 1 ? oldest : NONE;
}

/* Any access that the ways above do not settle. */
static void granule_rest(struct thread *t, struct granule *g,
			 const struct entry *made, uintptr_t addr)
{
	struct entries e = granule_entries(g);
	uint32_t room;

	if (granule_is_wide(entry_get(&g->near[0].word)) ||
	    (controlled && entries_room(e) == NONE)) {
		pairs_wide(t, g, made, addr);
		return;
	}
	entries_access(t, e, made, addr);
	room = entries_room(e);
	if (room == NONE)
		room = granule_oldest(e, made->word);
	if (room != NONE)
		granule_put(g, room, entries_word(e, 0), made);
	else
		pairs_wide_add(g, made);
}

static inline __attribute__((always_inline)) void granule_any(
	struct thread *t, struct granule *g, const struct entry *made,
	bool is_write, uintptr_t addr)
{
	struct look l;

	if (!(entry_get(&g->near[0].word) | entry_get(&g->near[1].word)) &&
	    granule_claim(g, made))
		return;
	if (unlikely(granule_is_wide(entry_get(&g->near[0].word))))
		goto rest;
	l = granule_look(g);
	if (is_write && (made->word & PAIR_BYTES) == PAIR_BYTES) {
		granule_over(t, g, &l, made, addr);
		return;
	}
	if (granule_again(t, g, &l, made, is_write, addr))
		return;
rest:
	guest_enter(t);
	granule_rest(t, g, made, addr);
	guest_leave(t);
}

void granule_read(struct thread *t, struct granule *g, const struct entry *made,
		  uintptr_t addr)
{
	granule_any(t, g, made, false, addr);
}

void granule_write(struct thread *t, struct granule *g,
		   const struct entry *made, uintptr_t addr)
{
	granule_any(t, g, made, true, addr);
}
