/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_MISUSE_H
#define HEDDLE_HEAP_MISUSE_H

/*
 * What the program did wrong with a block of the heap under control. A byte
 * between two blocks is said to be beyond the one or before the other,
 * whichever is nearer.
 */

#include "runtime/heap_poison.h"

enum heap_misuse_kind {
	HEAP_USE_AFTER_FREE,
	HEAP_BEYOND, /* the end of a block */
	HEAP_BEFORE, /* its beginning */
	HEAP_NEVER,  /* memory that was never in a block */
	HEAP_DOUBLE_FREE,
	/* Of what is not the beginning of a block, or was made by others. */
	HEAP_INVALID_FREE,
};

struct heap_misuse {
	enum heap_misuse_kind kind;
	uintptr_t addr; /* of the access, or the pointer that was freed */
	size_t size;	/* of the access, or 0 */
	/* The block it was about; 0 and zeros when there is none. */
	uintptr_t block;
	size_t block_size;
	uint32_t alloc_stack, alloc_thread;
	/* NO_STACK and NO_THREAD for a block that lives. */
	uint32_t free_stack, free_thread;
};

#pragma GCC visibility push(hidden)

/* After heap_may_touch said no. */
COLD void heap_misuse_find(uintptr_t addr, size_t size, struct heap_misuse *m);

/* The same for a pointer that no live block begins at. */
COLD void heap_misuse_of_pointer(const void *p, struct heap_misuse *m);

/* The same for a live block, which begins here. */
COLD void heap_misuse_of_block(const void *p, struct heap_misuse *m);

/* Ends the run (the part of control that knows of verdicts). */
void heap_on_misuse(struct thread *t, const struct heap_misuse *m,
		    uintptr_t pc);

#pragma GCC visibility pop

#endif
