/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PAIR_BLOCK_H
#define HEDDLE_PAIR_BLOCK_H

/*
 * Access pairs: which access of one thread came right before which access of
 * another, to the same memory. The guest collects them while the program runs
 * (runtime/pairs.h) and leaves them here; the tool reads them afterwards.
 *
 * Of one run there is an entry for each pair of accesses that differ in place,
 * thread, kind, in what came before or, where loops are followed, iteration.
 * Entries are filled in the order of first occurrence and never change but for
 * `last` and `count`.
 *
 * An access is a word and a moment:
 *
 *	63     48 47          16 15   12 11 10 9    0
 *	thread+1  place          bytes   kind  loop
 *
 * `place` is a site, or a node of the tree of calls with PAIRS_STACKS. `loop`
 * is the innermost loop the thread is in, 0 for none (numbers above 1023 are
 * folded). A moment has in its upper half how many accesses the thread had
 * made, and in its lower half the same at the beginning of the iteration.
 */

#include <stdatomic.h>
#include <stdint.h>

enum {
	PAIRS_MOST = 1 << 21,
	PAIRS_INDEX = 1 << 22,
	PAIR_LOOPS = 1 << 10,
	LOOP_BLOCKS = 1 << 16,
};

enum pair_flag {
	PAIRS_STACKS = 1, /* places are nodes of the tree of calls */
	PAIRS_DELAY = 2,  /* threads are held up now and then */
	PAIRS_LOOPS = 4,  /* `loops` holds */
};

enum pair_access {
	PAIR_READ = 0,
	PAIR_WRITE = 1,
	PAIR_UPDATE = 2, /* an atomic that does both; it counts as a write */
};

enum {
	PAIR_LOOP_BITS = 10,
	PAIR_KIND_SHIFT = 10,
	PAIR_BYTES_SHIFT = 12,
	PAIR_PLACE_SHIFT = 16,
	PAIR_THREAD_SHIFT = 48,
};

#define PAIR_BYTES (UINT64_C(15) << PAIR_BYTES_SHIFT)

static inline uint32_t pair_thread(uint64_t word)
{
	return (uint32_t)(word >> PAIR_THREAD_SHIFT) - 1;
}

static inline uint32_t pair_place(uint64_t word)
{
	return (uint32_t)(word >> PAIR_PLACE_SHIFT);
}

static inline enum pair_access pair_kind(uint64_t word)
{
	return (enum pair_access)(word >> PAIR_KIND_SHIFT & 3);
}

static inline uint32_t pair_loop(uint64_t word)
{
	return (uint32_t)word & (PAIR_LOOPS - 1);
}

struct access_pair {
	uint64_t head, tail; /* words */
	uint64_t before;     /* what the tail's thread had done right before the
				head, at the same place in memory, 0: nothing */
	uint64_t head_at;    /* moments, of the first occurrence */
	uint64_t tail_at;
	uint64_t addr;	/* there, the first time */
	uint64_t first; /* clock: accesses of the run under control, else the
			   processor's counter */
	_Atomic uint64_t last;
	_Atomic uint32_t count;
	uint32_t slot; /* of the index */
};

/* A basic block that lies in a loop: its address in the program's file, the
 * innermost loop it is in, and whether the loop begins there. In ascending
 * order of addresses. */
struct loop_block {
	uint32_t address;
	uint16_t loop; /* from 1 */
	uint16_t is_header;
};

/* Loop k lies in loop `outer` (0: none) of the same function. */
struct pair_loops {
	uint32_t block_count;
	uint32_t low, high; /* addresses between which all blocks lie */
	struct loop_block blocks[LOOP_BLOCKS];
	uint16_t outer[1 << 16];
};

struct pair_block {
	uint32_t flags; /* enum pair_flag */
	uint32_t delay_us;
	uint64_t seed;		  /* of delays */
	_Atomic uint32_t count;	  /* entries taken, some may be unfilled when
				     the program was killed: count == 0 */
	_Atomic uint32_t lost;	  /* pairs for which there was no room */
	_Atomic uint64_t emitted; /* all occurrences */
	_Atomic uint64_t accesses;
	struct access_pair pairs[PAIRS_MOST];
	_Atomic uint32_t index[PAIRS_INDEX]; /* entry + 1 */
	struct pair_loops loops;
};

#endif
