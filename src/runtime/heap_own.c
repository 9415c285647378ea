/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_own.h"

#include "runtime/heap_area.h"
#include "runtime/sys.h"

#include <sys/mman.h>

/*
 * Taking a chunk is popping it from the list of its class or, when that is
 * empty, moving the frontier. Nothing is split or joined: what a thread gets
 * depends on nothing but what it asked for and what was freed before.
 *
 * Every freed block goes through the quarantine of the area it came from, in
 * the order of being freed.
 */

/* ---- addresses ---- */

static bool span_map(uintptr_t at, size_t size)
{
	long got = SYS_6(SYS_mmap, at, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				 MAP_FIXED_NOREPLACE,
			 -1, 0);

	if (got != (long)at) {
		/* An old kernel takes the address for a wish. */
		if (got > 0)
			SYS_2(SYS_munmap, got, size);
		return false;
	}
	/* A short run uses little of many places. */
	SYS_3(SYS_madvise, at, size, MADV_NOHUGEPAGE);
	return true;
}

bool heap_own_init(void)
{
	static struct latch latch;
	static bool is_tried, is_made;
	const size_t poison = (HEAP_END - HEAP_AREAS) / 8;

	/* Pairs with the release below. */
	if (likely(__atomic_load_n(&is_made, __ATOMIC_ACQUIRE)))
		return true;
	latch_take(&latch);
	if (!is_tried && span_map(HEAP_BASE, HEAP_END - HEAP_BASE) &&
	    span_map(POISON_BASE, poison)) {
		SYS_3(SYS_madvise, POISON_BASE, poison, MADV_DONTDUMP);
		__atomic_store_n(&is_made, true, __ATOMIC_RELEASE);
	}
	is_tried = true;
	latch_give(&latch);
	return is_made;
}

/* ---- small blocks ---- */

/* The frontier is followed by poison, lest the end of the last block be taken
 * for memory that never was in one. */
static uintptr_t chunk_new(struct area *a, uint32_t class)
{
	uintptr_t at = a->frontier;
	uintptr_t end;

	if (unlikely(!at))
		at = (uintptr_t)a + sizeof(*a);
	end = at + sizeof(struct block) + class_room(class);
	if (unlikely(end + sizeof(struct block) > (uintptr_t)area_table(a)))
		return 0;
	a->frontier = end;
	poison_fill(end, sizeof(struct block), POISON_TAIL);
	return at;
}

static void zero(void *at, size_t size)
{
	__asm__ volatile("rep stosb"
			 : "+D"(at), "+c"(size)
			 : "a"(0)
			 : "memory");
}

static struct block *small_new(struct area *a, const struct want *want,
			       uint32_t class)
{
	struct block *b = a->free[class];
	bool is_fresh = !b;
	uintptr_t chunk, at;

	if (b) {
		a->free[class] = b->next;
		chunk = block_chunk(b);
	} else {
		chunk = chunk_new(a, class);
		if (!chunk)
			return NULL;
	}
	at = chunk + sizeof(*b);
	at = (at + want->alignment - 1) & -want->alignment;
	b = (struct block *)at - 1;
	b->class = (uint8_t) class;
	b->skip = (uint16_t)(((uintptr_t)b - chunk) / HEAP_ALIGNMENT);
	if (want->is_zeroed && !is_fresh)
		zero((void *)at, want->size);
	return b;
}

/* The poison of a chunk whose block now has this size. */
static void small_open(const struct block *b)
{
	uintptr_t at = (uintptr_t)(b + 1), chunk = block_chunk(b);
	size_t whole = b->size & ~(size_t)7, part = b->size & 7;

	if (unlikely(b->skip))
		poison_fill(chunk, (uintptr_t)b - chunk, POISON_TAIL);
	poison_fill((uintptr_t)b, sizeof(*b), POISON_HEAD);
	poison_fill(at, whole, POISON_OPEN);
	at += whole;
	if (part) {
		*poison_find(at) = (int8_t)part;
		at += 8;
	}
	poison_fill(at, block_room_end(b) - at, POISON_TAIL);
}

static struct block *small_find(uintptr_t at)
{
	const int8_t *poison = poison_find(at);

	/* Whatever lies between heads is a block. */
	if (at % HEAP_ALIGNMENT || at == HEAP_AREAS ||
	    poison[-1] != POISON_HEAD || poison[0] == POISON_HEAD)
		return NULL;
	return (struct block *)at - 1;
}

/* ---- quarantine ---- */

static size_t block_bytes(const struct block *b)
{
	return class_room(b->class) + sizeof(*b);
}

static void quarantine_release(struct area *a)
{
	struct block *b = a->quarantine.oldest;

	a->quarantine.oldest = b->next;
	a->quarantine.bytes -= block_bytes(b);
	a->quarantine.count--;
	b->next = a->free[b->class];
	a->free[b->class] = b;
}

static void quarantine_add(struct area *a, struct block *b)
{
	b->next = NULL;
	if (a->quarantine.count)
		a->quarantine.youngest->next = b;
	else
		a->quarantine.oldest = b;
	a->quarantine.youngest = b;
	a->quarantine.bytes += block_bytes(b);
	a->quarantine.count++;
	while (a->quarantine.oldest &&
	       (a->quarantine.bytes > QUARANTINE_BYTES ||
		a->quarantine.count > QUARANTINE_BLOCKS))
		quarantine_release(a);
}

/* What others freed, in the order in which they did. */
static COLD void returned_take(struct area *a)
{
	/* Pairs with the release in returned_add. */
	struct block *b = atomic_exchange_explicit(&a->returned, NULL,
						   memory_order_acquire);
	struct block *first = NULL;

	while (b) {
		struct block *next = b->next;

		b->next = first;
		first = b;
		b = next;
	}
	while (first) {
		struct block *next = first->next;

		quarantine_add(a, first);
		first = next;
	}
}

static void returned_add(struct area *a, struct block *b)
{
	b->next = atomic_load_explicit(&a->returned, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&a->returned, &b->next, b,
						      memory_order_release,
						      memory_order_relaxed))
		;
}

/* ---- areas ---- */

static uint32_t area_for(uint32_t thread)
{
	if (thread < AREA_COMMONS)
		return thread;
	return thread == HEAP_STRANGER ? AREA_STRANGERS : AREA_COMMONS;
}

static void area_enter(uint32_t index)
{
	if (unlikely(index >= AREA_COMMONS))
		latch_take(&area_at(index)->latch);
}

static void area_leave(uint32_t index)
{
	if (unlikely(index >= AREA_COMMONS))
		latch_give(&area_at(index)->latch);
}

static struct block *area_new(struct area *a, const struct want *want)
{
	/* A block of no bytes has room too, lest its head meet the next. */
	size_t need = (want->size ? want->size : 1) + want->alignment -
		      HEAP_ALIGNMENT;
	struct block *b;

	a->is_touched = true;
	if (unlikely(atomic_load_explicit(&a->returned, memory_order_relaxed)))
		returned_take(a);
	b = likely(need <= SMALL_MOST) ? small_new(a, want, class_of(need)) :
					 huge_new(a, want);
	if (!b)
		return NULL;
	b->size = want->size;
	b->alloc_stack = want->stack;
	b->alloc_thread = want->who;
	b->is_free = false;
	b->maker = HEAP_MALLOC;
	if (likely(!block_is_huge(b)))
		small_open(b);
	return b;
}

static void *area_try(uint32_t index, const struct want *want)
{
	struct block *b;

	area_enter(index);
	b = area_new(area_at(index), want);
	area_leave(index);
	return b ? (void *)block_at(b) : NULL;
}

void *heap_own_new(struct heap_who who, size_t size, size_t alignment,
		   bool is_zeroed)
{
	uint32_t index = area_for(who.thread);
	struct want want = {
		.size = size,
		.alignment = alignment < HEAP_ALIGNMENT ? HEAP_ALIGNMENT :
							  alignment,
		.stack = who.stack,
		.who = (uint16_t)who.thread,
		.is_zeroed = is_zeroed,
	};
	void *p;

	if (size > UINT64_C(1) << HUGE_MOST_LOG ||
	    alignment > UINT64_C(1) << HUGE_MOST_LOG)
		return NULL;
	p = area_try(index, &want);
	if (unlikely(!p) && index < AREA_COMMONS)
		p = area_try(AREA_COMMONS, &want);
	return p;
}

/* ---- live blocks ---- */

static struct block *block_find(const void *p)
{
	uintptr_t at = (uintptr_t)p;

	return at >= HEAP_AREAS ? small_find(at) : huge_find(at);
}

/* The live block that begins here; NULL when there is none. */
static struct block *block_live(const void *p, struct heap_misuse *m)
{
	struct block *b = block_find(p);

	if (likely(b && !b->is_free))
		return b;
	heap_misuse_of_pointer(p, m);
	return NULL;
}

bool heap_own_size(const void *p, size_t *size, struct heap_misuse *m)
{
	const struct block *b = block_live(p, m);

	if (b)
		*size = b->size;
	return b;
}

bool heap_own_made(void *p, enum heap_maker maker, struct heap_misuse *m)
{
	struct block *b = block_live(p, m);

	if (b)
		b->maker = (uint8_t)maker & 3;
	return b;
}

bool heap_own_maker(const void *p, enum heap_maker *maker,
		    struct heap_misuse *m)
{
	const struct block *b = block_live(p, m);

	if (b)
		*maker = b->maker;
	return b;
}

static void block_end(struct block *b, struct heap_who who)
{
	uintptr_t at = (uintptr_t)(b + 1);

	b->is_free = true;
	b->free_stack = who.stack;
	b->free_thread = (uint16_t)who.thread;
	if (likely(!block_is_huge(b)))
		poison_fill(at, block_room_end(b) - at, POISON_FREED);
}

bool heap_own_end(struct heap_who who, void *p, struct heap_misuse *m)
{
	uint32_t index = area_of((uintptr_t)p), own = area_for(who.thread);
	struct block *b;

	if (unlikely(own == AREA_STRANGERS && index != own))
		return true;
	area_enter(index);
	b = block_live(p, m);
	if (b) {
		block_end(b, who);
		if (likely(index == own) || index >= AREA_COMMONS)
			quarantine_add(area_at(index), b);
		else
			returned_add(area_at(index), b);
	}
	area_leave(index);
	return b || own == AREA_STRANGERS;
}

/* Where it is if it would get the same room again. */
static bool block_fits(const struct block *b, size_t size)
{
	if (block_is_huge(b)) {
		size_t skip = block_at(b) - ((const struct huge *)b)->room;

		return size > SMALL_MOST && !skip && class_of(size) == b->class;
	}
	return !b->skip && size <= SMALL_MOST && class_of(size) == b->class;
}

bool heap_own_fit(struct heap_who who, void *p, size_t size, bool *is_done,
		  struct heap_misuse *m)
{
	struct block *b = block_live(p, m);

	if (!b)
		return false;
	*is_done = size <= UINT64_C(1) << HUGE_MOST_LOG && block_fits(b, size);
	if (!*is_done)
		return true;
	b->size = size;
	b->alloc_stack = who.stack;
	b->alloc_thread = (uint16_t)who.thread;
	if (!block_is_huge(b))
		small_open(b);
	return true;
}
