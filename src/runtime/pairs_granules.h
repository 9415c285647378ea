/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PAIRS_GRANULES_H
#define HEDDLE_PAIRS_GRANULES_H

/*
 * Where granules lie, and what their words are.
 *
 * A granule has places for four accesses, two of them *near* and two *far*. The
 * near ones lie in leaves, one for each MiB of memory that is used; behind all
 * leaves that there could be lie the far ones in the same order. An access has
 * word and moment side by side. So where no more than two count, which is
 * nearly everywhere, a look at a granule is a look at one cache line, which two
 * granules share.
 *
 * The far places hold something only if the first near word says so
 * (WORD_FAR); else what is in them is old, and nobody looks. Who opens them
 * empties what it does not fill, and who writes all eight bytes closes them.
 * Instead of an access the first near word can name a list (pairs_wide.c),
 * and has WORD_FAR then too.
 *
 * A place without bytes is free. A word is read once and written once, and what
 * another thread does meanwhile may be lost: one of two accesses that come to a
 * granule at the same moment, and what the far places held, if one of the two
 * has opened them.
 */

#include "runtime/entries.h"

#pragma GCC visibility push(hidden)

enum {
	GRANULE_NEAR = 2,
	LEAF_LOG = 20,
	LEAF_GRANULES = 1 << (LEAF_LOG - 3),
	LEAVES = 1 << 17,
};

struct granule {
	_Alignas(32) struct entry near[GRANULE_NEAR];
};

struct leaf {
	struct granule granules[LEAF_GRANULES];
};

#define GRANULE_WIDE (UINT64_C(0xffff) << PAIR_THREAD_SHIFT | WORD_FAR)

/* `first` is the first word of a granule. */
static inline bool granule_is_wide(uint64_t first)
{
	return first >= GRANULE_WIDE;
}

static inline struct entry *granule_far(struct granule *g)
{
	return (g + (uintptr_t)LEAVES * LEAF_GRANULES)->near;
}

/* What the granule holds, which is no list. */
static inline struct entries granule_entries(struct granule *g)
{
	bool has_far = entry_get(&g->near[0].word) & WORD_FAR;

	return (struct entries){ .near = g->near,
				 .far = granule_far(g),
				 .count = has_far ? GRANULE_ENTRIES :
						    GRANULE_NEAR };
}

static inline void entry_set(struct entry *e, uint64_t word, uint64_t at)
{
	entry_put(&e->word, word);
	entry_put(&e->at, at);
}

/* ---- pairs_change.c ---- */

/* Thread t reads from the granule, or writes to it: tells the pairs, and
 * remembers the access. `addr`: where in memory it is. */
void granule_read(struct thread *t, struct granule *g, const struct entry *made,
		  uintptr_t addr);
void granule_write(struct thread *t, struct granule *g,
		   const struct entry *made, uintptr_t addr);

/* ---- pairs_granules.c ---- */

/* Before any thread: room for them. False when there is none. */
bool granules_init(void);

/* A run begins. */
void granules_begin(void);

/* By address, over all addresses a program can have: leaves. */
extern struct leaf *_Atomic *granule_leaves;
enum { ADDRESS_LOG = 47, LEAF_PLACES = 1 << (ADDRESS_LOG - LEAF_LOG) };

static inline struct granule *leaf_granule(struct leaf *leaf, uintptr_t addr)
{
	return &leaf->granules[addr >> 3 & (LEAF_GRANULES - 1)];
}

/* NULL: the leaf is not there. */
static inline struct granule *granule_find(uintptr_t addr)
{
	/* No program comes away with an address that has more bits. */
	struct leaf *leaf = atomic_load_explicit(
		&granule_leaves[addr >> LEAF_LOG & (LEAF_PLACES - 1)],
		memory_order_relaxed);

	return likely(leaf) ? leaf_granule(leaf, addr) : NULL;
}

/* The same, and makes the leaf. NULL: no room, or no address of a program. */
struct granule *granule_get(uintptr_t addr);

/* For each piece of shadow that could be a huge page: granules that were used
 * there. GRANULE_BUSY: it is one, or as near as the kernel lets us come. */
enum {
	GRANULE_PAGE_LOG = 21,
	GRANULE_BUSY = (1 << GRANULE_PAGE_LOG) / sizeof(struct granule) / 16,
};

extern struct leaf *granule_shadow;
extern uint16_t granule_uses[];

static inline uint32_t granule_page(const void *shadow)
{
	return (uint32_t)(((uintptr_t)shadow - (uintptr_t)granule_shadow) >>
			  GRANULE_PAGE_LOG);
}

void granule_count(uint32_t page);

/* A granule that knew nothing is used, or its far places are opened: their
 * shadow may be worth a huge page. */
static inline void granule_use(const void *shadow)
{
	uint32_t page = granule_page(shadow);

	if (unlikely(__atomic_load_n(&granule_uses[page], __ATOMIC_RELAXED) <
		     GRANULE_BUSY))
		granule_count(page);
}

/* The access is the first that the granule hears of, and is remembered in its
 * first place, unless another thread's comes before. The first touch of a page
 * of shadow takes as long as a thousand accesses, and threads that begin
 * together leave it together: what one stored then would be lost by the other's
 * store, time after time. So this one is not left to luck. */
static inline bool granule_claim(struct granule *g, const struct entry *made)
{
	uint64_t nothing = 0;

	if (!__atomic_compare_exchange_n(&g->near[0].word, &nothing, made->word,
					 false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	entry_put(&g->near[0].at, made->at);
	return true;
}

/* Memory begins or ends a life. */
void granules_forget(uintptr_t addr, size_t size);

/* Memory was got in one piece: all of it may be used. */
void granules_expect(uintptr_t addr, size_t size);

#pragma GCC visibility pop

#endif
