/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LONE_PAIRS_H
#define HEDDLE_LONE_PAIRS_H

/*
 * The guest's collector of pairs without the rest of the guest: a few threads,
 * a few bytes of memory, and accesses by either of the two ways that there are.
 * For one test program, which includes it once; a place is its own number.
 */

#include "format/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lone_guest.h"

enum { THREADS = 4, BYTES = 24 };

static struct thread threads[THREADS];
static struct call calls[THREADS];
static struct stack_memo memos[THREADS][STACK_MEMO];
static uint8_t memory[BYTES] __attribute__((aligned(8)));

static inline int set_up(void **state)
{
	(void)state;
	region = guest_map(sizeof(*region));
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].pair_tag = pair_tag(i);
		threads[i].alive = 1;
		threads[i].top = threads[i].base = &calls[i];
		threads[i].memo = memos[i];
	}
	return region && pairs_init() ? 0 : -1;
}

static inline void begin(void)
{
	pairs_begin();
	pairs_forget((uintptr_t)memory, sizeof(memory));
	for (int i = 0; i < THREADS; i++)
		threads[i].pair_count = 0;
}

/* ---- accesses ---- */

struct access {
	uint32_t thread, site;
	uint32_t from, size;
	bool is_write;
};

/* The way of the compiler's hooks in a free run, where the place of the access
 * is remembered. */
static inline void access_by_hook(const struct access *a)
{
	struct thread *t = &threads[a->thread];
	uintptr_t at = (uintptr_t)&memory[a->from];
	uint64_t bytes = pair_bytes(at & 7, a->size);

	t->memo[stack_memo_at(a->site, 0)] =
		(struct stack_memo){ .pc = a->site, .node = a->site };
	(a->is_write ? pairs_write : pairs_read)(at, bytes, t, a->site);
}

/* The other way, of the first four bytes. */
static inline void touch(uint32_t thread, uint32_t site, bool is_write)
{
	pairs_access(&threads[thread], (uintptr_t)memory, 4,
		     is_write ? PAIR_WRITE : PAIR_READ, site);
}

/* Was there a pair of these places? */
static inline bool has(uint32_t head, uint32_t tail)
{
	const struct pair_block *b = &region->pairs;

	for (uint32_t i = 0; i < b->count; i++)
		if (pair_place(b->pairs[i].head) == head &&
		    pair_place(b->pairs[i].tail) == tail)
			return true;
	return false;
}

#endif
