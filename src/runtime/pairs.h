/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PAIRS_H
#define HEDDLE_PAIRS_H

/*
 * Access pairs, collected while the program runs (LOCON, ASE 2014).
 *
 * Two accesses of different threads to the same bytes, one of them a write,
 * are a pair when nothing orders them but each other: in the order of the
 * accesses to those bytes, with each thread's own order, there is no way round.
 * So a write pairs with the last read of each thread since the write before,
 * or with that write if nobody has read; a read pairs with the last write,
 * unless its own thread has made it or has read since.
 *
 * For that, four bytes of memory (a *spot*) remember their last write and the
 * read since. Where that is not enough (several threads have read, or accesses
 * took different bytes) the spot has a list (pairs_wide.c).
 *
 * Under control one thread runs at a time and the pairs are exact. In a
 * parallel run nothing is locked but lists. What can go wrong there:
 *
 * - Hook and access are not one. Two accesses less apart than the way from one
 *   thread's hook to its access may be seen in the other order. So a pair of a
 *   parallel run says that the accesses came close or in this order.
 * - A spot is two words, written one after the other. When two threads come to
 *   the same spot at the same moment, one of the two accesses may be forgotten,
 *   and so a pair missed. No word is ever mixed of two.
 *
 * tests/unit/test_pairs.c bounds both: what synchronisation orders is told in
 * its order and in full; what nothing orders is told once for each access at
 * most, and never mixed. Misses: accesses without hooks.
 */

#include "format/pair_block.h"
#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* Pairs are collected now. */
extern bool pairing;

struct spot {
	uint64_t write, write_at;
	uint64_t read, read_at;
};

/* Before any thread: room for spots. False when there is none. */
bool pairs_init(void);

/* A run begins: nothing is known. */
void pairs_begin(void);

/* Thread t is about to make an access. */
void pairs_access(struct thread *t, uintptr_t addr, size_t size,
		  enum pair_access kind, uintptr_t pc);

/* Memory begins a new life. */
void pairs_forget(uintptr_t addr, size_t size);

/* ---- pairs_table.c ---- */

/* The access `tail` at moment `tail_at` came right after `head`. */
void pairs_emit(uint64_t head, uint64_t head_at, uint64_t tail,
		uint64_t tail_at, uintptr_t addr);
void pairs_table_begin(void);

/* ---- pairs_wide.c ---- */

#define SPOT_WIDE (UINT64_C(0xffff) << PAIR_THREAD_SHIFT)

static inline bool spot_is_wide(uint64_t write)
{
	return (write & SPOT_WIDE) == SPOT_WIDE;
}

/* The same access to a spot that has a list, or needs one. */
void pairs_wide(struct spot *s, uint64_t word, uint64_t at, uintptr_t addr);

/* The list of a spot is not needed any more. */
void pairs_wide_forget(struct spot *s);

/* ---- pairs_loops.c ---- */

/* Where the thread is in its loops: the word's bits, and the number of its
 * accesses when the iteration began. */
void pairs_loop(struct thread *t, uint64_t *word, uint32_t *began);

/* The thread comes to a basic block. */
void pairs_block(struct thread *t, uintptr_t pc);

/* ---- pairs_delay.c ---- */

void pairs_delay(struct thread *t);

#pragma GCC visibility pop

#endif
