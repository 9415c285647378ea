/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ENTRIES_H
#define HEDDLE_ENTRIES_H

/*
 * What an access does to the accesses that a granule remembers, be they in the
 * granule itself or in its list: tells the pairs, and takes from the others the
 * bytes that do not count any more. A read takes its own thread's earlier
 * reads, a write takes everything. So no two entries of one thread and kind
 * have a byte in common, and a read that is there says that nobody has written
 * since.
 *
 * The first two entries and the others may lie apart (pairs_granules.h). An
 * entry without bytes is free.
 *
 * Nothing here is locked: in a parallel run each word is read once and written
 * once, and what another thread does meanwhile may be lost.
 */

#include "runtime/pairs.h"

static inline uint64_t entry_get(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void entry_put(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline bool entry_is_other(uint64_t a, uint64_t b)
{
	return (a ^ b) >> PAIR_THREAD_SHIFT;
}

/* Bits of a word that are not of the access. */
#define WORD_STAYS UINT64_C(1) /* its moment is left alone: see pairs.c */
#define WORD_FAR UINT64_C(2)   /* in the first: the far ones count */

static inline bool entry_is_free(uint64_t word)
{
	return !(word & PAIR_BYTES);
}

struct entries {
	struct entry *near, *far;
	uint32_t count;
};

static inline struct entry *entries_at(struct entries e, uint32_t i)
{
	return i < 2 ? &e.near[i] : &e.far[i - 2];
}

static inline uint64_t entries_word(struct entries e, uint32_t i)
{
	return entry_get(&entries_at(e, i)->word);
}

/* Takes `bytes` from an entry, whose word is given. */
static inline void entries_drop(struct entries e, uint32_t i, uint64_t word,
				uint64_t bytes)
{
	if (!(word & bytes))
		return;
	word &= ~bytes;
	entry_put(&entries_at(e, i)->word,
		  entry_is_free(word) ? word & WORD_FAR : word);
}

static inline void entries_emit(struct thread *t, struct entries e, uint32_t i,
				uint64_t word, const struct entry *made,
				uintptr_t addr)
{
	struct entry head = { .word = word,
			      .at = entry_get(&entries_at(e, i)->at) };

	pairs_emit(t, head, *made, addr);
}

/* A read pairs with writes to bytes that its thread has not read since. */
static inline void entries_read(struct thread *t, struct entries e,
				const struct entry *made, uintptr_t addr)
{
	uint64_t fresh = made->word & PAIR_BYTES;

	for (uint32_t i = 0; i < e.count; i++) {
		uint64_t word = entries_word(e, i);

		if (pair_kind(word) == PAIR_READ &&
		    !entry_is_other(word, made->word)) {
			fresh &= ~word;
			entries_drop(e, i, word, made->word & PAIR_BYTES);
		}
	}
	for (uint32_t i = 0; fresh && i < e.count; i++) {
		uint64_t word = entries_word(e, i);

		if (word & fresh && pair_kind(word) != PAIR_READ &&
		    entry_is_other(word, made->word))
			entries_emit(t, e, i, word, made, addr);
	}
}

/* A write pairs with all reads, and with writes to bytes nobody has read. */
static inline void entries_write(struct thread *t, struct entries e,
				 const struct entry *made, uintptr_t addr)
{
	uint64_t bytes = made->word & PAIR_BYTES, unread = bytes;

	for (uint32_t i = 0; i < e.count; i++) {
		uint64_t word = entries_word(e, i);

		if (!(word & bytes) || pair_kind(word) != PAIR_READ)
			continue;
		unread &= ~word;
		if (entry_is_other(word, made->word))
			entries_emit(t, e, i, word, made, addr);
		entries_drop(e, i, word, bytes);
	}
	for (uint32_t i = 0; i < e.count; i++) {
		uint64_t word = entries_word(e, i);

		if (pair_kind(word) == PAIR_READ)
			continue;
		if (word & unread && entry_is_other(word, made->word))
			entries_emit(t, e, i, word, made, addr);
		entries_drop(e, i, word, bytes);
	}
}

/* All but giving the access itself a place. */
static inline void entries_access(struct thread *t, struct entries e,
				  const struct entry *made, uintptr_t addr)
{
	if (pair_kind(made->word) == PAIR_READ)
		entries_read(t, e, made, addr);
	else
		entries_write(t, e, made, addr);
}

/* The place for one more; count: there is none. */
static inline uint32_t entries_room(struct entries e)
{
	uint32_t i = 0;

	while (i < e.count && !entry_is_free(entries_word(e, i)))
		i++;
	return i;
}

#endif
