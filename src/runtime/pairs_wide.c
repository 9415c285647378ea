/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/latch.h"
#include "runtime/pairs.h"

/*
 * Spots with a list: of each access that still counts its word, with the bytes
 * it still counts for, and its moment. A list is changed by whoever has its
 * latch, and belongs to the spot whose `write` points to it; so whoever comes
 * looks again once it has the latch. Lists that became too small, or whose
 * memory began anew, are used again, always as lists.
 */

struct entry {
	uint64_t word, at;
};

struct wide {
	struct latch latch;
	uint16_t count, room;
	struct wide *next; /* while nobody has it */
	struct entry entries[];
};

enum { ROOM_FIRST = 5, CLASSES = 16 };

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
			      class_room(class) * sizeof(w->entries[0]));
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

	w->count = 0;
	latch_take(&classes[class].latch);
	w->next = classes[class].free;
	classes[class].free = w;
	latch_give(&classes[class].latch);
}

static struct wide *wide_of(uint64_t write)
{
	return (struct wide *)(uintptr_t)(write & ~SPOT_WIDE);
}

static uint64_t word_of(const struct wide *w)
{
	return (uintptr_t)w | SPOT_WIDE;
}

/* ---- entries ---- */

static void entries_drop(struct wide *w, uint64_t bytes, uint64_t thread,
			 bool reads_only)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		struct entry e = w->entries[i];

		if (!reads_only || (pair_kind(e.word) == PAIR_READ &&
				    e.word >> PAIR_THREAD_SHIFT == thread))
			e.word &= ~bytes;
		if (e.word & PAIR_BYTES)
			w->entries[kept++] = e;
	}
	w->count = (uint16_t)kept;
}

static uint64_t bytes_read(const struct wide *w, uint64_t thread)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		uint64_t word = w->entries[i].word;

		if (pair_kind(word) == PAIR_READ &&
		    (!thread || word >> PAIR_THREAD_SHIFT == thread))
			bytes |= word & PAIR_BYTES;
	}
	return bytes;
}

static void emit_from(const struct wide *w, bool from_reads, uint64_t bytes,
		      uint64_t word, uint64_t at, uintptr_t addr)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct entry *e = &w->entries[i];

		if ((pair_kind(e->word) == PAIR_READ) == from_reads &&
		    e->word & bytes && (e->word ^ word) >> PAIR_THREAD_SHIFT)
			pairs_emit(e->word, e->at, word, at, addr);
	}
}

/* The list has room for one more. */
static void wide_access(struct wide *w, uint64_t word, uint64_t at,
			uintptr_t addr)
{
	uint64_t bytes = word & PAIR_BYTES;
	uint64_t thread = word >> PAIR_THREAD_SHIFT;

	if (pair_kind(word) == PAIR_READ) {
		emit_from(w, false, bytes & ~bytes_read(w, thread), word, at,
			  addr);
		entries_drop(w, bytes, thread, true);
	} else {
		emit_from(w, true, bytes, word, at, addr);
		emit_from(w, false, bytes & ~bytes_read(w, 0), word, at, addr);
		entries_drop(w, bytes, 0, false);
	}
	w->entries[w->count++] = (struct entry){ .word = word, .at = at };
}

/* ---- the list of a spot ---- */

/* Makes a list of what the spot has; false: somebody else did. */
static bool widen(struct spot *s, uint64_t write, struct wide *w)
{
	uint64_t read = __atomic_load_n(&s->read, __ATOMIC_RELAXED);

	w->count = 0;
	if (write)
		w->entries[w->count++] =
			(struct entry){ .word = write, .at = s->write_at };
	if (read)
		w->entries[w->count++] =
			(struct entry){ .word = read, .at = s->read_at };
	/* Pairs with the acquire in wide_take. */
	if (!__atomic_compare_exchange_n(&s->write, &write, word_of(w), false,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&s->read, 0, __ATOMIC_RELAXED);
	return true;
}

/* The spot's list, latched, with room; NULL when there is no memory. */
static struct wide *wide_take(struct spot *s)
{
	for (;;) {
		uint64_t write = __atomic_load_n(&s->write, __ATOMIC_ACQUIRE);
		struct wide *w, *more;

		if (!spot_is_wide(write)) {
			w = wide_new(0);
			if (!w)
				return NULL;
			if (!widen(s, write, w))
				wide_free(w);
			continue;
		}
		w = wide_of(write);
		latch_take(&w->latch);
		if (__atomic_load_n(&s->write, __ATOMIC_RELAXED) != write) {
			latch_give(&w->latch);
			continue;
		}
		if (w->count < w->room)
			return w;
		more = wide_new(class_of(w) + 1);
		if (!more) {
			/* The oldest is forgotten. */
			w->entries[0] = w->entries[--w->count];
			return w;
		}
		more->count = w->count;
		for (uint32_t i = 0; i < w->count; i++)
			more->entries[i] = w->entries[i];
		__atomic_store_n(&s->write, word_of(more), __ATOMIC_RELEASE);
		latch_give(&w->latch);
		wide_free(w);
	}
}

void pairs_wide(struct spot *s, uint64_t word, uint64_t at, uintptr_t addr)
{
	struct wide *w = wide_take(s);

	if (!w)
		return;
	wide_access(w, word, at, addr);
	latch_give(&w->latch);
}

void pairs_wide_forget(struct spot *s)
{
	uint64_t write = __atomic_load_n(&s->write, __ATOMIC_ACQUIRE);
	struct wide *w = wide_of(write);

	if (!spot_is_wide(write))
		return;
	latch_take(&w->latch);
	if (__atomic_compare_exchange_n(&s->write, &write, 0, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		latch_give(&w->latch);
		wide_free(w);
		return;
	}
	latch_give(&w->latch);
}
