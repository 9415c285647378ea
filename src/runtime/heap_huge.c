/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_area.h"
#include "runtime/sys.h"

#include <sys/mman.h>

/*
 * Blocks that have pages of their own. Nothing of ours is written near them,
 * so a large block that the program hardly uses hardly costs anything. A page
 * that nobody uses lies between a room and the next.
 */

static uintptr_t zone_begin(uint32_t index)
{
	return index == AREA_COMMONS ?
		       HEAP_BASE :
		       HEAP_ZONES + ((uint64_t)index << ZONE_LOG);
}

static uintptr_t zone_end(uint32_t index)
{
	return index == AREA_COMMONS ? HEAP_ZONES : zone_begin(index + 1);
}

static struct huge *room_new(struct area *a, size_t room, uint8_t class)
{
	uint32_t index = area_of((uintptr_t)a);
	uintptr_t at = a->zone_frontier;
	struct huge *h = &area_table(a)[a->huge_count];

	if (!at)
		at = zone_begin(index) + HEAP_PAGE;
	if (room + HEAP_PAGE > zone_end(index) - at ||
	    (uintptr_t)(h + 1) > (uintptr_t)area_table(a) + AREA_TABLE)
		return NULL;
	a->zone_frontier = at + room + HEAP_PAGE;
	a->huge_count++;
	h->room = at;
	h->block.class = class;
	return h;
}

static struct huge *room_again(struct area *a, size_t room, uint8_t class,
			       bool is_zeroed)
{
	struct huge *h = (struct huge *)a->free[class];

	a->free[class] = h->block.next;
	if (is_zeroed)
		SYS_3(SYS_madvise, h->room, room, MADV_DONTNEED);
	return h;
}

struct block *huge_new(struct area *a, const struct want *want)
{
	size_t extra =
		want->alignment > HEAP_PAGE ? want->alignment - HEAP_PAGE : 0;
	uint8_t class;
	size_t room;
	struct huge *h;

	if (want->size + extra > UINT64_C(1) << HUGE_MOST_LOG)
		return NULL;
	/* A small block whose alignment brought it here has pages too. */
	class = (uint8_t)class_of(want->size + extra > SMALL_MOST ?
					  want->size + extra :
					  SMALL_MOST + 1);
	room = class_room(class);
	h = a->free[class] ? room_again(a, room, class, want->is_zeroed) :
			     room_new(a, room, class);
	if (!h)
		return NULL;
	h->at = (h->room + want->alignment - 1) & -want->alignment;
	return &h->block;
}

struct huge *huge_before(uintptr_t addr, struct huge **next)
{
	struct area *a = area_at(area_of(addr));
	struct huge *table = area_table(a);
	uint32_t low = 0, high = a->huge_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (table[middle].room <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	*next = low < a->huge_count ? &table[low] : NULL;
	return low ? &table[low - 1] : NULL;
}

struct block *huge_find(uintptr_t at)
{
	struct huge *next, *h = huge_before(at, &next);

	return h && h->at == at ? &h->block : NULL;
}

/* Accesses come in swarms: the block of the last one first. Every use looks
 * at the block itself, so one that has ended meanwhile does no harm. */
uintptr_t huge_first(uintptr_t addr, size_t size)
{
	static struct huge *_Atomic last;
	struct huge *h = atomic_load_explicit(&last, memory_order_relaxed);
	struct huge *next;

	if (!h || addr - h->at >= h->block.size) {
		h = huge_before(addr, &next);
		if (!h || addr - h->at >= h->block.size)
			return addr;
		atomic_store_explicit(&last, h, memory_order_relaxed);
	}
	if (h->block.is_free)
		return addr;
	return size <= h->at + h->block.size - addr ? addr + size :
						      h->at + h->block.size;
}
