/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_BLOCKS_H
#define HEDDLE_HEAP_BLOCKS_H

/*
 * The heap under control, for its tests. Threads are played by number. The
 * tests of a program share the heap, as it cannot be made anew; where a test
 * needs one that nobody used, it takes thread numbers of its own.
 */

#include "runtime/heap_area.h"

static inline int heap_start(void **state)
{
	(void)state;
	assert_true(heap_own_init());
	assert_true(heap_own_init());
	return 0;
}

static inline struct heap_who by(uint32_t thread)
{
	return (struct heap_who){ .thread = thread, .stack = thread + 1000 };
}

static inline void *block_new(uint32_t thread, size_t size)
{
	void *p = heap_own_new(by(thread), size, 1, false);

	assert_non_null(p);
	return p;
}

static inline void block_free(uint32_t thread, void *p)
{
	struct heap_misuse m;

	assert_true(heap_own_end(by(thread), p, &m));
}

#endif
