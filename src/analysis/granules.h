/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_GRANULES_H
#define HEDDLE_GRANULES_H

/*
 * A number for every 8 bytes of the tested program's memory, 0 where nobody
 * put another. What the number means is the user's: an index into a pool of
 * access histories, of locks, of clocks.
 *
 * Memory grows with the pages that were touched (half a page for each), and a
 * range is walked by the pages that exist, so asking for the whole address
 * space is fine.
 *
 * Pointers into the map stay good until granules_drop of their page.
 */

#include <stddef.h>
#include <stdint.h>

enum {
	GRANULE_BYTES = 8,
	GRANULE_PAGE_SHIFT = 12,
	GRANULE_PAGE_SLOTS = (1 << GRANULE_PAGE_SHIFT) / GRANULE_BYTES,
	GRANULE_CACHE = 1024,
};

struct granule_page {
	uint64_t number; /* address >> GRANULE_PAGE_SHIFT */
	uint32_t slots[GRANULE_PAGE_SLOTS];
};

struct granules {
	struct granule_page **pages; /* open addressing; NULL is free */
	size_t count, room;	     /* room is a power of two, or 0 */
	struct granule_page *cache[GRANULE_CACHE];
};

void granules_init(struct granules *g);
void granules_done(struct granules *g);

/* Called by granule_at and granule_peek when the cache does not know. */
struct granule_page *granules_page(struct granules *g, uint64_t number);
struct granule_page *granules_make(struct granules *g, uint64_t number);

/* The slot of an address, NULL when its page does not exist. */
static inline uint32_t *granule_peek(struct granules *g, uint64_t addr)
{
	uint64_t number = addr >> GRANULE_PAGE_SHIFT;
	struct granule_page *p = g->cache[number % GRANULE_CACHE];

	if (!p || p->number != number) {
		p = granules_page(g, number);
		if (!p)
			return NULL;
	}
	return &p->slots[addr / GRANULE_BYTES % GRANULE_PAGE_SLOTS];
}

/* The slot of an address, made if need be. */
static inline uint32_t *granule_at(struct granules *g, uint64_t addr)
{
	uint64_t number = addr >> GRANULE_PAGE_SHIFT;
	struct granule_page *p = g->cache[number % GRANULE_CACHE];

	if (!p || p->number != number)
		p = granules_make(g, number);
	return &p->slots[addr / GRANULE_BYTES % GRANULE_PAGE_SLOTS];
}

/* Calls `visit` for every granule that holds a number and overlaps the range,
 * with the granule's address. It may change the slot, and nothing else of the
 * map. */
typedef void granule_visit(void *self, uint64_t addr, uint32_t *slot);
void granules_walk(struct granules *g, uint64_t addr, uint64_t size,
		   granule_visit *visit, void *self);

/* Frees the pages that lie wholly in the range; their numbers are 0 again. */
void granules_drop(struct granules *g, uint64_t addr, uint64_t size);

/* The byte behind the range. Ranges end before the last granule there is (no
 * program has it), so that a loop over granules cannot run round; one that
 * begins there has its end before its beginning. */
static inline uint64_t granules_end(uint64_t addr, uint64_t size)
{
	uint64_t limit = ~(uint64_t)(GRANULE_BYTES - 1);

	return addr > limit || size > limit - addr ? limit : addr + size;
}

#endif
