/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PAIR_BLOCK_H
#define HEDDLE_PAIR_BLOCK_H

/*
 * Access pairs: which access of one thread came right before which access of
 * another, to the same memory. The guest collects them while the program runs
 * (runtime/pairs.h) and leaves them here; the tool reads them afterwards.
 *
 * Of one run there is an entry for each pair of accesses that differ in place,
 * thread, kind or in what came before. Such an entry never changes but for
 * `last` and `count`. Where loops are followed, a pair that comes again in
 * another iteration has more entries, which differ from the first in their
 * moments: of the first PAIR_EARLY such iterations, and of the last PAIR_LATE.
 * The entries of a pair are changed by one thread only, that of the tail.
 *
 * An access is a word and a moment:
 *
 *	63     48 47          16 15    8 7  6 5      0
 *	thread+1  place          bytes   kind  nothing
 *
 * `bytes`: which of an aligned eight. `place` is a site, or a node of the tree
 * of calls with PAIRS_STACKS, from which the loops can be told that it lies in.
 * A moment has in its upper half how many accesses the thread had made, and in
 * its lower half that number plus 1 at the beginning of the iteration of the
 * innermost loop, 0: none.
 */

#include <stdatomic.h>
#include <stdint.h>

enum {
	PAIRS_MOST = 1 << 21,
	PAIRS_INDEX = 1 << 22,
	PAIR_EARLY = 128,
	PAIR_LATE = 128,
	LOOPS_MOST = UINT16_MAX,
	LOOP_HOOKS = 1 << 17,
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
	PAIR_KIND_SHIFT = 6,
	PAIR_BYTES_SHIFT = 8,
	PAIR_PLACE_SHIFT = 16,
	PAIR_THREAD_SHIFT = 48,
};

#define PAIR_BYTES (UINT64_C(255) << PAIR_BYTES_SHIFT)

/* What a word of thread `number` begins with. */
static inline uint64_t pair_tag(uint32_t number)
{
	return (uint64_t)(number + 1) << PAIR_THREAD_SHIFT;
}

/* Some of an aligned eight bytes, in a word. */
static inline uint64_t pair_bytes(uint32_t offset, uint64_t size)
{
	return (PAIR_BYTES >> (8 - size) & PAIR_BYTES) << offset;
}

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

struct access_pair {
	uint64_t head, tail; /* words */
	uint64_t before;     /* what the tail's thread had done right before the
				head, at the same place in memory, 0: nothing */
	uint64_t head_at;    /* moments, of the first occurrence */
	uint64_t tail_at;
	uint64_t addr;	/* there, the first time */
	uint64_t first; /* clock: accesses of the run under control, else the
			   processor's counter (see runtime/pairs.h) */
	_Atomic uint64_t last;
	_Atomic uint32_t count;
	uint32_t slot; /* of the index */
	/* For the guest alone, in the first entry of a pair: where its others
	 * begin, and how many it has had. */
	uint32_t more, iterations;
};

/* A call of the basic-block hook that is of interest: it returns to `address`
 * in the program's file, in loop `loop` (0: none), and begins an iteration or
 * comes behind the end of another loop. */
struct loop_hook {
	uint32_t address; /* 0: an empty place of the table */
	uint16_t loop;
	uint16_t is_header;
};

/* Hooks by address: at loop_hook_slot or in the next places behind it. Loop k
 * lies in loop `outer` (0: none) of the same function, which has a lower
 * number. */
struct pair_loops {
	struct loop_hook hooks[LOOP_HOOKS];
	uint16_t outer[LOOPS_MOST + 1];
};

static inline uint32_t loop_hook_slot(uint32_t address)
{
	return (address * UINT32_C(0x9e3779b1)) >> (32 - 17);
}

struct pair_block {
	uint32_t flags; /* enum pair_flag */
	uint32_t delay_us;
	uint64_t seed;		/* of delays */
	_Atomic uint32_t count; /* entries taken, some may be unfilled when
				     the program was killed: count == 0 */
	_Atomic uint32_t lost;	/* pairs for which there was no room */
	struct access_pair pairs[PAIRS_MOST];
	_Atomic uint32_t index[PAIRS_INDEX]; /* entry + 1 */
	struct pair_loops loops;
};

/* How often pairs came, all together. */
static inline uint64_t pairs_times(const struct pair_block *b)
{
	uint64_t times = 0;

	for (uint32_t i = 0; i < b->count && i < PAIRS_MOST; i++)
		times += b->pairs[i].count;
	return times;
}

#endif
