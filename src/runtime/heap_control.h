/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_CONTROL_H
#define HEDDLE_HEAP_CONTROL_H

/*
 * What the functions of the heap do in a run under control: ask heap_own.c in
 * the name of the calling thread, and end the run when the program misused a
 * block. Blocks that libc gave out before the run began stay libc's.
 *
 * A process that the program forked is not under control any more, but has
 * the blocks it was born with. They can be used and freed there as ever;
 * freeing them does nothing.
 */

#include "runtime/control.h"
#include "runtime/heap_own.h"

#pragma GCC visibility push(hidden)

static inline bool heap_is_controlled(void)
{
	return unlikely(controlled) && heap_own_init();
}

/* The program is about to touch bytes that it may not touch. */
COLD void heap_control_misuse(struct thread *t, uintptr_t addr, size_t size,
			      uintptr_t pc);

/* Ends the run when the program may not touch these bytes. To be asked right
 * before it does: at a point another thread may free them. */
static inline void heap_control_touch(struct thread *t, uintptr_t addr,
				      size_t size, uintptr_t pc)
{
	if (unlikely(!heap_may_touch(addr, size)))
		heap_control_misuse(t, addr, size, pc);
}

/* NULL, with errno set, when there is no room. */
void *heap_control_new(size_t size, size_t alignment, bool is_zeroed,
		       uintptr_t pc);

/* The calling thread comes to free this block (NULL: no more). Touching it at
 * the point before that is part of freeing it: if another thread is first, the
 * block is freed twice. */
void heap_control_ending(const void *p);

/* Of a block that is the heap's own. */
void heap_control_end(void *p, uintptr_t pc);

/* As realloc, of any block; while under control only. */
void *heap_control_resize(void *old, size_t size, uintptr_t pc);

/* The size of a block that is the heap's own. */
size_t heap_control_size(const void *p, uintptr_t pc);

#pragma GCC visibility pop

#endif
