/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_POISON_H
#define HEDDLE_HEAP_POISON_H

/*
 * Where the heap of a run under control lies, and which bytes of it the
 * program may touch.
 *
 * The addresses are constants, so that they agree between runs. They are where
 * Linux puts nothing by itself, and differ from the places where it does put
 * things in those bits of an address that choose the cell of the shadow:
 *
 *	0x47...  1 TiB   large blocks that fit nowhere else
 *	0x48...  4 TiB   1024 zones of 4 GiB, large blocks
 *	0x4c...  2 TiB   1024 areas of 2 GiB, small blocks
 *	0x4e...  256 GiB the poison of the small blocks
 *
 * Everything is reserved at once and filled by the kernel as it is touched.
 *
 * Poison: one byte for each 8 bytes of the areas of small blocks. It says how
 * many of them, from the first, may be touched; a negative one says why none
 * may. 0, as the kernel gives it, is memory that was never in a block. Large
 * blocks have no poison: touching an eighth of their size would cost more than
 * using them. They are looked up in tables (heap_huge.c).
 *
 * The bytes of a block's poison are changed by the thread that allocates or
 * frees it, nobody else's block shares them.
 */

#include "runtime/runtime.h"

#define HEAP_BASE UINT64_C(0x470000000000)
#define HEAP_ZONES UINT64_C(0x480000000000)
#define HEAP_AREAS UINT64_C(0x4c0000000000)
#define HEAP_END UINT64_C(0x4e0000000000)
#define POISON_BASE UINT64_C(0x4e0000000000)

enum {
	POISON_NEVER = 0,
	POISON_OPEN = 8, /* 1 to 7: the end of a block lies between */
	POISON_FREED = -3,
	POISON_TAIL = -6,  /* beyond a block */
	POISON_HEAD = -15, /* just before a block */
};

#pragma GCC visibility push(hidden)

static inline bool heap_is_own(const volatile void *p)
{
	return (uintptr_t)p - HEAP_BASE < HEAP_END - HEAP_BASE;
}

/* For addresses of small blocks. */
static inline int8_t *poison_find(uintptr_t addr)
{
	return (int8_t *)(POISON_BASE + ((addr - HEAP_AREAS) >> 3));
}

/* Sets the poison of `size` bytes; both are multiples of 8. */
void poison_fill(uintptr_t addr, size_t size, int8_t code);

/* The first byte of the range that may not be touched; its end when there is
 * none. For any address of the heap. */
uintptr_t poison_first(uintptr_t addr, size_t size);

/* May the program touch these bytes? What does not begin in the heap it may,
 * as far as we know. */
static inline bool heap_may_touch(uintptr_t addr, size_t size)
{
	if (addr - HEAP_BASE >= HEAP_END - HEAP_BASE)
		return true;
	if (likely(addr >= HEAP_AREAS) &&
	    likely((intptr_t)((addr & 7) + size) <= *poison_find(addr)))
		return true;
	return poison_first(addr, size) - addr == size;
}

#pragma GCC visibility pop

#endif
