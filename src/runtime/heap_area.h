/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_AREA_H
#define HEDDLE_HEAP_AREA_H

/*
 * How the heap under control is laid out, for the files that make it up.
 *
 * An area belongs to one thread, by the thread's number. At its start stands
 * struct area, then come chunks, one after the other, as they were first
 * needed:
 *
 *	| skip | struct block | the block, as asked for | rest of the room |
 *
 * `skip` is there only where an alignment asked for it. The size of a room is
 * one of a few (its class), and a chunk keeps its place and its class for ever,
 * so a freed one serves again for any block of that class. Heads are the
 * distance between blocks: the program may not touch them.
 *
 * A large block lies alone in pages of the thread's zone; its head stands in a
 * table at the end of the area, in the order of addresses, because rooms are
 * taken in that order and never given back.
 *
 * An area is changed by its owner alone. What another thread frees waits in
 * `returned` until the owner allocates again. Two areas have no owner, and a
 * latch: the commons, for threads with numbers beyond those that have an area
 * and for what fits nowhere else, and the one of the strangers, threads that
 * the guest does not know (any more) and that run while somebody has the turn.
 *
 * All of it is ordinary memory: a forked run begins with what its parent had,
 * and an area that nobody used costs nothing.
 */

#include "runtime/heap_own.h"
#include "runtime/latch.h"

enum {
	AREA_LOG = 31,
	ZONE_LOG = 32,
	AREA_COMMONS = 1022,
	AREA_STRANGERS = 1023,
	AREA_COUNT = 1024,
	AREA_TABLE = 1 << 26, /* for the heads of large blocks */
	HEAP_PAGE = 4096,
	SMALL_MOST = 1 << 15, /* room of a small block */
	HUGE_MOST_LOG = 36,
	HEAP_CLASSES = 128,
};

/* In front of a small block, or within struct huge. */
struct block {
	uint64_t size; /* as asked for */
	struct block *next;
	uint32_t alloc_stack, free_stack;
	uint16_t alloc_thread, free_thread;
	uint8_t class;
	bool is_free : 1;
	uint8_t maker : 2; /* enum heap_maker */
	uint16_t skip;	   /* of a small one: 16 bytes each */
};

struct huge {
	struct block block;
	uintptr_t at;	/* the block */
	uintptr_t room; /* begins here, at or before it */
};

/* All zero until its owner comes. */
struct area {
	_Alignas(64) struct latch latch; /* of the two that have no owner */
	/* Written before anything is read: a new area then costs one page
	 * fault, not one to read and one to write. */
	volatile bool is_touched;
	uint32_t huge_count;
	uintptr_t frontier; /* no chunk from here on; 0: none */
	uintptr_t zone_frontier;
	struct block *_Atomic returned;
	/* Freed, and not to serve again yet: from the oldest. */
	struct {
		struct block *oldest, *youngest;
		size_t bytes;
		uint32_t count;
	} quarantine;
	struct block *free[HEAP_CLASSES];
};

/* What an allocation asks for; `who` is a thread number or HEAP_STRANGER. */
struct want {
	size_t size, alignment;
	uint32_t stack;
	uint16_t who;
	bool is_zeroed;
};

#pragma GCC visibility push(hidden)

static inline struct area *area_at(uint32_t index)
{
	return (struct area *)(HEAP_AREAS + ((uint64_t)index << AREA_LOG));
}

/* Whose an address of the heap is. */
static inline uint32_t area_of(uintptr_t addr)
{
	if (addr >= HEAP_AREAS)
		return (uint32_t)((addr - HEAP_AREAS) >> AREA_LOG);
	if (addr >= HEAP_ZONES)
		return (uint32_t)((addr - HEAP_ZONES) >> ZONE_LOG);
	return AREA_COMMONS;
}

static inline struct huge *area_table(struct area *a)
{
	return (struct huge *)((uintptr_t)a + (UINT64_C(1) << AREA_LOG) -
			       AREA_TABLE);
}

/* ---- classes ---- */

/* Steps of 16 up to 256, then four for each doubling. */
static inline uint32_t class_of(size_t need)
{
	uint32_t log;

	if (need <= 256)
		return need ? (uint32_t)(need - 1) / 16 : 0;
	log = 63 - (uint32_t)__builtin_clzl(need - 1);
	return 16 + (log - 8) * 4 + ((need - 1) >> (log - 2) & 3);
}

static inline size_t class_room(uint32_t class)
{
	if (class < 16)
		return (class + 1) * 16;
	class -= 16;
	return (size_t)(5 + class % 4) << (6 + class / 4);
}

/* ---- blocks ---- */

static inline bool block_is_huge(const struct block *b)
{
	return class_room(b->class) > SMALL_MOST;
}

static inline uintptr_t block_at(const struct block *b)
{
	return block_is_huge(b) ? ((const struct huge *)b)->at :
				  (uintptr_t)(b + 1);
}

/* Where the chunk of a small block begins. */
static inline uintptr_t block_chunk(const struct block *b)
{
	return (uintptr_t)b - b->skip * (uintptr_t)HEAP_ALIGNMENT;
}

static inline uintptr_t block_room_end(const struct block *b)
{
	uintptr_t begin = block_is_huge(b) ? ((const struct huge *)b)->room :
					     block_chunk(b) + sizeof(*b);

	return begin + class_room(b->class);
}

/* ---- heap_huge.c ---- */

struct block *huge_new(struct area *a, const struct want *want);

/* The block that begins here, NULL when none does. */
struct block *huge_find(uintptr_t at);

/* The last room that begins at or before an address; NULL before the first.
 * `*next` is the one behind it, or NULL. */
struct huge *huge_before(uintptr_t addr, struct huge **next);

/* poison_first for addresses outside the areas. */
uintptr_t huge_first(uintptr_t addr, size_t size);

#pragma GCC visibility pop

#endif
