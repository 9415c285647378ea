/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_misuse.h"

#include "runtime/heap_area.h"

/*
 * From an address to the block it was meant for. Nobody comes here in a run
 * that does nothing wrong, so small blocks are found by walking the poison to
 * the next head on either side: the poison is out of the program's reach, the
 * heads themselves might have been overwritten.
 */

/* The blocks at either side of an address; the first one may hold it. */
struct nearby {
	const struct block *before, *after;
};

/* The head that ends just below the poison `at`. */
static const struct block *head_below(const int8_t *at)
{
	uintptr_t granule = (uintptr_t)at - POISON_BASE;

	return (const struct block *)(HEAP_AREAS + granule * 8) - 1;
}

static const struct block *small_before(uintptr_t addr)
{
	const int8_t *low = poison_find((uintptr_t)area_at(area_of(addr)));
	const int8_t *at = poison_find(addr);

	/* In a head: it belongs to the block behind it. */
	while (at > low && *at == POISON_HEAD)
		at--;
	while (at > low && at[-1] != POISON_HEAD)
		at--;
	return at > low ? head_below(at) : NULL;
}

/* Only an address next to a block's beginning has one after it. */
static const struct block *small_after(uintptr_t addr)
{
	const int8_t *at = poison_find(addr);

	while (*at == POISON_TAIL)
		at++;
	if (*at != POISON_HEAD)
		return NULL;
	while (*at == POISON_HEAD)
		at++;
	return head_below(at);
}

static struct nearby small_near(uintptr_t addr)
{
	int8_t code = *poison_find(addr);

	if (code == POISON_NEVER)
		return (struct nearby){ 0 };
	return (struct nearby){
		.before = small_before(addr),
		.after = code == POISON_HEAD || code == POISON_TAIL ?
				 small_after(addr) :
				 NULL,
	};
}

static struct nearby huge_near(uintptr_t addr)
{
	struct huge *after, *before = huge_before(addr, &after);

	/* Beyond the frontier nothing was ever given out. */
	if (addr >= area_at(area_of(addr))->zone_frontier)
		return (struct nearby){ 0 };
	if (before && addr < before->at) {
		/* Where an alignment left pages before the block. */
		after = before;
		before = before > area_table(area_at(area_of(addr))) ?
				 before - 1 :
				 NULL;
	}
	return (struct nearby){
		.before = before ? &before->block : NULL,
		.after = after ? &after->block : NULL,
	};
}

/* All of the room of a freed block is freed. */
static bool block_holds(const struct block *b, uintptr_t addr)
{
	return b->is_free ? addr < block_room_end(b) :
			    addr - block_at(b) < b->size;
}

static uint32_t thread_known(uint16_t number)
{
	return number == HEAP_STRANGER ? NO_THREAD : number;
}

static void misuse_of_block(struct heap_misuse *m, const struct block *b)
{
	m->block = block_at(b);
	m->block_size = b->size;
	m->alloc_stack = b->alloc_stack;
	m->alloc_thread = thread_known(b->alloc_thread);
	m->free_stack = b->is_free ? b->free_stack : NO_STACK;
	m->free_thread = b->is_free ? thread_known(b->free_thread) : NO_THREAD;
}

/* Says on which side of which block the byte at `addr` is, and returns the
 * block. */
static const struct block *misuse_locate(struct heap_misuse *m, uintptr_t addr)
{
	struct nearby near = addr >= HEAP_AREAS ? small_near(addr) :
						  huge_near(addr);
	const struct block *b = near.before;

	m->kind = HEAP_NEVER;
	if (b && block_holds(b, addr)) {
		m->kind = HEAP_USE_AFTER_FREE;
	} else if (near.after && (!b || block_at(near.after) - addr <=
						addr - block_at(b) - b->size)) {
		m->kind = HEAP_BEFORE;
		b = near.after;
	} else if (b) {
		m->kind = HEAP_BEYOND;
	}
	if (b)
		misuse_of_block(m, b);
	return b;
}

void heap_misuse_find(uintptr_t addr, size_t size, struct heap_misuse *m)
{
	*m = (struct heap_misuse){ .addr = addr,
				   .size = size,
				   .free_thread = NO_THREAD };
	misuse_locate(m, poison_first(addr, size));
}

void heap_misuse_of_block(const void *p, struct heap_misuse *m)
{
	*m = (struct heap_misuse){ .addr = (uintptr_t)p };
	misuse_of_block(m, (uintptr_t)p >= HEAP_AREAS ?
				   (const struct block *)p - 1 :
				   huge_find((uintptr_t)p));
	m->kind = HEAP_INVALID_FREE;
}

void heap_misuse_of_pointer(const void *p, struct heap_misuse *m)
{
	const struct block *b;

	*m = (struct heap_misuse){ .addr = (uintptr_t)p,
				   .free_thread = NO_THREAD };
	b = misuse_locate(m, m->addr);
	m->kind = b && b->is_free && m->block == m->addr ? HEAP_DOUBLE_FREE :
							   HEAP_INVALID_FREE;
}
