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

struct iovec;

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

/* The same for what is touched on behalf of the calling thread, by libc or by
 * the kernel: right before, or right after where only a result tells how much
 * it was. No point may be in between. Nothing happens outside of control. */
void heap_control_lent(const void *at, size_t size, uintptr_t pc);

/* A string, with its end; NULL is none. */
void heap_control_lent_string(const char *s, uintptr_t pc);

/* The first `size` bytes of several parts. */
void heap_control_lent_parts(const struct iovec *parts, size_t count,
			     size_t size, uintptr_t pc);

/* NULL, with errno set, when there is no room. */
void *heap_control_new(size_t size, size_t alignment, bool is_zeroed,
		       uintptr_t pc);

/* The calling thread comes to free this block (NULL: no more). Touching it at
 * the point before that is part of freeing it: if another thread is first, the
 * block is freed twice. */
void heap_control_ending(const void *p);

/* The thread is about to free this. Does not return when it is no block of any
 * heap: a variable on its stack, or one of the program. */
void heap_control_check(struct thread *t, const void *p, uintptr_t pc);

/* Before the first run: can blocks be told apart by who made them? */
void heap_control_prepare(void);

/* new, or new[], has given out this block. */
void heap_control_made(void *p, enum heap_maker maker);

/* The program frees a block as one made so. Does not return when it was made
 * otherwise. Whatever else is wrong with it is for others to find. */
void heap_control_match(const void *p, enum heap_maker maker, uintptr_t pc);

/* Of a block that is the heap's own. */
void heap_control_end(void *p, uintptr_t pc);

/* As realloc, of any block; while under control only. */
void *heap_control_resize(void *old, size_t size, uintptr_t pc);

/* The size of a block that is the heap's own. */
size_t heap_control_size(const void *p, uintptr_t pc);

#pragma GCC visibility pop

#endif
