/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_OWN_H
#define HEDDLE_HEAP_OWN_H

/*
 * The heap of a run under control: same allocations of a thread, same
 * addresses, whatever other threads and other runs do. Blocks lie apart from
 * each other, a freed one is not given out again for a while, and what the
 * program does wrong with them is told, not suffered.
 *
 * Recycled memory holds what it held. Freed by a stranger, a block stays as it
 * is for ever: strangers run beside the thread that has the turn, and what
 * they do must not be noticed. Neither are they told of misuse.
 *
 * What cannot be had (no room, too large) is NULL; errno is left to heap.c.
 */

#include "runtime/heap_misuse.h"

enum { HEAP_ALIGNMENT = 16, HEAP_STRANGER = UINT16_MAX };

/* Freed blocks of an area that wait, at most. */
enum { QUARANTINE_BYTES = 16 << 20, QUARANTINE_BLOCKS = 4096 };

/* Who makes blocks; whoever ends one must be of the same kind. */
enum heap_maker { HEAP_MALLOC, HEAP_NEW, HEAP_NEW_ARRAY };

/* Who asks: number of the thread, and its stack. */
struct heap_who {
	uint32_t thread, stack;
};

#pragma GCC visibility push(hidden)

/* Reserves the addresses; idempotent. False when the kernel does not give
 * them: then there is no such heap. Best called before runs are forked. */
bool heap_own_init(void);

/* A new block, its alignment a power of two. */
void *heap_own_new(struct heap_who who, size_t size, size_t alignment,
		   bool is_zeroed);

/* The functions below take a pointer into the heap (heap_is_own) for the
 * beginning of a live block. If it is not they return false, and `*m` says
 * what it is. */

bool heap_own_size(const void *p, size_t *size, struct heap_misuse *m);

/* A block is malloc's until somebody says otherwise. */
bool heap_own_made(void *p, enum heap_maker maker, struct heap_misuse *m);
bool heap_own_maker(const void *p, enum heap_maker *maker,
		    struct heap_misuse *m);

/* Ends a block. */
bool heap_own_end(struct heap_who who, void *p, struct heap_misuse *m);

/* Makes a block larger or smaller where it is: `*is_done`, if it fits. */
bool heap_own_fit(struct heap_who who, void *p, size_t size, bool *is_done,
		  struct heap_misuse *m);

#pragma GCC visibility pop

#endif
