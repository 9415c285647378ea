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
 * For that, eight bytes of memory (a *granule*) remember up to four accesses
 * that still count, each with the bytes it still counts for
 * (pairs_granules.h). Where that is not enough the granule has a list
 * (pairs_wide.c). What is done to either is the same and stands in entries.h;
 * what is mostly done to granules, in pairs_change.c and, for the hooks of a
 * parallel run, in pairs_plain.c.
 *
 * Under control one thread runs at a time and the pairs are exact, as are their
 * moments. In a parallel run nothing is locked but lists. What can go wrong
 * there:
 *
 * - Hook and access are not one. Two accesses less apart than the way from one
 *   thread's hook to its access may be seen in the other order. So a pair of a
 *   parallel run says that the accesses came close or in this order.
 * - An access is two words, stored one after the other. When two threads come
 *   to the same granule at the same moment, one of the two accesses may be
 *   forgotten, and with it what lay in far places that it has opened or found
 *   open; so pairs are missed. (Not so a granule's first two, for threads meet
 *   where pages are touched first: granule_claim.) Or one is told twice, or
 *   with the moment of the other. No word is ever mixed of two.
 * - When a pair came again is told by the processor's counter as its thread had
 *   read it last, at most 32 of its accesses before; the first time, exactly.
 * - While several threads read what nobody writes, the moment of a thread's
 *   read is that of its first at the same place.
 * - A thread that would need a fifth place in a granule, and has two there,
 *   gives up the older one (lists would be made of all memory that is used
 *   byte by byte). What is forgotten so is missed as a head; and where it was a
 *   read, the thread's next read there is told as a tail again.
 *
 * tests/unit/test_pairs.c and test_pairs_race.c bound all of it: what
 * synchronisation orders is told in its order and in full, as long as no thread
 * gives a place up; what nothing orders is told once for each access and each
 * place of its granule at most, and never mixed; what is told though places
 * were given up is a conflict, in its order, with no write between. Misses:
 * accesses without hooks.
 */

#include "format/pair_block.h"
#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* Pairs are collected now; and nothing else is done at accesses. */
extern bool pairing, pairing_plain;

/* An access that was made. */
struct entry {
	uint64_t word, at;
};

enum { GRANULE_ENTRIES = 4 };
struct granule; /* pairs_granules.h */

/* Before any thread: room for granules. False when there is none. */
bool pairs_init(void);

/* A run begins: nothing is known. */
void pairs_begin(void);

/* In a server: is the next run to collect them? */
static inline bool pairs_are_asked(void)
{
	return region->flags & REGION_PAIRS &&
	       region->control.ask.flags & CONTROL_PAIRS;
}

/* When its access number `count` is made. */
static inline uint64_t pairs_moment(const struct thread *t, uint32_t count)
{
	return (uint64_t)count << 32 | t->top->began;
}

/* Thread t is about to make an access. */
void pairs_access(struct thread *t, uintptr_t addr, size_t size,
		  enum pair_access kind, uintptr_t pc);

/* The same for a plain access in a parallel run, which lies in one granule:
 * `bytes` of it, as a word has them. In the order in which the hooks have it at
 * hand. */
void pairs_read(uintptr_t addr, uint64_t bytes, struct thread *t, uintptr_t pc);
void pairs_write(uintptr_t addr, uint64_t bytes, struct thread *t,
		 uintptr_t pc);

/* Memory begins a new life; or the program has asked for it, in one piece. */
void pairs_forget(uintptr_t addr, size_t size);
void pairs_claim(uintptr_t addr, size_t size);

/* ---- pairs_table.c ---- */

/* Thread t made the access `tail` right after `head`. */
void pairs_emit(struct thread *t, struct entry head, struct entry tail,
		uintptr_t addr);
void pairs_table_begin(void);

/* ---- pairs_wide.c ---- */

/* An access to a granule that has a list, or needs one. */
void pairs_wide(struct thread *t, struct granule *g, const struct entry *made,
		uintptr_t addr);

/* The same, for one that has told its pairs and only needs a place. */
void pairs_wide_add(struct granule *g, const struct entry *made);

/* The list of a granule is not needed any more. */
void pairs_wide_forget(struct granule *g);

/* ---- pairs_loops.c ---- */

/* The thread comes to a basic block. Mostly it is the same loop's next
 * iteration. */
void pairs_block_new(struct thread *t, uintptr_t pc);

static inline void pairs_block(struct thread *t, uintptr_t pc)
{
	struct call *c = t->top;

	if (likely(c->header == (uint32_t)pc))
		c->began = t->pair_count + 1;
	else
		pairs_block_new(t, pc);
}

/* ---- pairs_delay.c ---- */

void pairs_delay(struct thread *t);

#pragma GCC visibility pop

#endif
