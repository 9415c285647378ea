/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SHADOW_H
#define HEDDLE_SHADOW_H

/*
 * The shadow: 16 bytes for each 8 bytes of memory (a granule), that say who
 * used them last, so that accesses which cannot matter are left out.
 *
 * A cell has two words, the last write and the last read. A word names an
 * access: who (incarnation of a thread), when (its segment there), which bytes
 * of the granule, where (node of the tree of calls):
 *
 *	63        52 51          29 28    27    20 19         0
 *	incarnation  segment        more  bytes    stack node
 *
 * `more`: this access took the place of one ordered before it that had other
 * bytes too. Those bytes were told and are forgotten, so whoever is not ordered
 * after this access may be in conflict with them, whatever its own bytes.
 *
 * Word 0: nobody. write == SHARED: threads that are not ordered by creation
 * and joining have met here; from then on every access is recorded.
 * read == READERS | index: several threads read, nobody wrote meanwhile; their
 * words are in a table of readers (filter.c).
 *
 * An incarnation is a thread's number in words; a thread takes a new one when
 * its segments no longer fit. Incarnation 0 means there was none left: such a
 * thread records everything.
 *
 * Cells change by 16-byte compare-and-swap, or word by word where the other
 * word does not matter; they are read word by word.
 */

#include "runtime/runtime.h"

enum {
	GRANULE_LOG = 3,
	WORD_BYTES_SHIFT = 20,
	WORD_SEGMENT_SHIFT = 29,
	WORD_INCARNATION_SHIFT = 52,
	SEGMENTS = 1 << 23, /* of one incarnation */
	INCARNATIONS = 0xfff,
	SHADOW_LOG = 44, /* bits of an address that choose the cell */
};

#define WORD_NODE UINT64_C(0xfffff)
#define WORD_BYTES (UINT64_C(0xff) << WORD_BYTES_SHIFT)
#define WORD_MORE (UINT64_C(1) << 28)
#define WORD_TAG (~(WORD_NODE | WORD_BYTES | WORD_MORE))
#define WORD_READERS (UINT64_C(0xfff) << WORD_INCARNATION_SHIFT)
#define SHARED UINT64_MAX

struct cell {
	_Alignas(16) uint64_t write;
	uint64_t read;
};

/* One flat array at a fixed address, where Linux puts nothing by itself,
 * reserved at the start and filled by the kernel as it is touched. 44 bits of
 * the address choose the cell: the areas that Linux gives to programs, their
 * libraries and stacks differ in those bits. Should a program map memory
 * elsewhere, so that two places fold onto one cell, the one that came second
 * has none (shadow_has) and all its accesses are recorded. */
#define SHADOW_BASE UINT64_C(0x100000000000)

static inline struct cell *shadow_find(uintptr_t addr)
{
	uintptr_t at = addr << (64 - SHADOW_LOG) >> (63 - SHADOW_LOG) &
		       ~(uintptr_t)15;

	return (struct cell *)(SHADOW_BASE + at);
}

/* Reserves it; false when the kernel does not give it. */
bool shadow_init(void);

/* Is the cell found for this address its own? */
bool shadow_has(uintptr_t addr);

/* Sets all cells of a range of memory to `write` (and no read). */
void shadow_fill(uintptr_t addr, size_t size, uint64_t write);

static inline uint64_t word_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline uint32_t word_incarnation(uint64_t word)
{
	return (uint32_t)(word >> WORD_INCARNATION_SHIFT);
}

static inline uint32_t word_segment(uint64_t word)
{
	return (uint32_t)(word >> WORD_SEGMENT_SHIFT) & (SEGMENTS - 1);
}

static inline uint32_t word_bytes(uint64_t word)
{
	return (uint32_t)(word >> WORD_BYTES_SHIFT) & 0xff;
}

static inline uint32_t word_node(uint64_t word)
{
	return (uint32_t)(word & WORD_NODE);
}

static inline bool word_is_readers(uint64_t word)
{
	return word >> WORD_INCARNATION_SHIFT == 0xfff;
}

/* Is this the present segment of the thread whose `tag` is given, with all of
 * `bytes` (a mask)? One subtraction's worth of work: `tag` has all byte bits
 * set, so a byte bit of the difference is 0 where the word has the byte. */
static inline bool word_covers(uint64_t word, uint64_t tag, uint64_t bytes)
{
	return ((word ^ tag) & (WORD_TAG | bytes << WORD_BYTES_SHIFT)) == 0;
}

#endif
