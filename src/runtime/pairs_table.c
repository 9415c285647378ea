/* SPDX-License-Identifier: Apache-2.0 */
#include "format/rng.h"
#include "runtime/control.h"
#include "runtime/pairs.h"

/*
 * The table of pairs in the region. An entry is filled before the index names
 * it; of two threads that have the same pair at the same time one finds the
 * index taken, and its entry stays empty.
 */

enum { PROBES = 256, RECENT = 1 << 12 };

static uint64_t clock_now;

/* The last pair of some places in memory, to see what came before the next. */
static struct {
	uintptr_t addr;
	uint64_t head, tail, tail_at;
} recent[RECENT];

void pairs_table_begin(void)
{
	struct pair_block *b = &region->pairs;
	uint32_t count = atomic_load(&b->count);

	for (uint32_t i = 0; i < count && i < PAIRS_MOST; i++) {
		atomic_store_explicit(&b->index[b->pairs[i].slot], 0,
				      memory_order_relaxed);
		b->pairs[i].head = 0;
	}
	atomic_store(&b->count, 0);
	atomic_store(&b->lost, 0);
	atomic_store(&b->emitted, 0);
	clock_now = 0;
}

static uint64_t now(const struct pair_block *b)
{
	if (controlled)
		return ++clock_now;
	(void)b;
	return __builtin_ia32_rdtsc();
}

static inline uint64_t bare(uint64_t word)
{
	return word & ~PAIR_BYTES;
}

/* What the thread of `tail` did right before `head`. */
static uint64_t before_of(uint64_t head, uint64_t head_at, uint64_t tail,
			  uint64_t tail_at, uintptr_t addr)
{
	uint64_t mix = (addr >> 2) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(mix >> 52);
	uint64_t before = 0;

	if (recent[at].addr == addr && recent[at].tail == bare(head) &&
	    recent[at].tail_at == head_at &&
	    !((recent[at].head ^ tail) >> PAIR_THREAD_SHIFT))
		before = recent[at].head;
	recent[at].addr = addr;
	recent[at].head = bare(head);
	recent[at].tail = bare(tail);
	recent[at].tail_at = tail_at;
	return before;
}

static bool is_same(const struct access_pair *p, const struct access_pair *q,
		    bool loops)
{
	return p->head == q->head && p->tail == q->tail &&
	       p->before == q->before &&
	       (!loops || ((uint32_t)p->head_at == (uint32_t)q->head_at &&
			   (uint32_t)p->tail_at == (uint32_t)q->tail_at));
}

static uint64_t hash_of(const struct access_pair *p, bool loops)
{
	uint64_t h = rng_mix(p->head ^ rng_mix(p->tail ^ rng_mix(p->before)));

	if (loops)
		h = rng_mix(h ^ (p->head_at << 32 | (uint32_t)p->tail_at));
	return h;
}

static void count_again(struct access_pair *p, uint64_t stamp)
{
	atomic_store_explicit(&p->last, stamp, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->count, 1, memory_order_relaxed);
}

/* A new entry for the slot, whose index was seen empty. True: done. */
static bool entry_add(struct pair_block *b, const struct access_pair *found,
		      uint32_t slot)
{
	uint32_t n = atomic_load_explicit(&b->count, memory_order_relaxed);
	uint32_t none = 0;
	struct access_pair *p;

	if (n < PAIRS_MOST)
		n = atomic_fetch_add(&b->count, 1);
	if (n >= PAIRS_MOST) {
		atomic_store(&b->count, PAIRS_MOST);
		atomic_fetch_add(&b->lost, 1);
		return true;
	}
	p = &b->pairs[n];
	*p = *found;
	p->slot = slot;
	/* Pairs with the acquire in pairs_emit. */
	if (atomic_compare_exchange_strong_explicit(&b->index[slot], &none,
						    n + 1, memory_order_release,
						    memory_order_relaxed))
		return true;
	p->head = 0;
	return false;
}

void pairs_emit(uint64_t head, uint64_t head_at, uint64_t tail,
		uint64_t tail_at, uintptr_t addr)
{
	struct pair_block *b = &region->pairs;
	bool loops = b->flags & PAIRS_LOOPS;
	uint64_t stamp = now(b);
	struct access_pair found = { .head = bare(head),
				     .tail = bare(tail),
				     .before = before_of(head, head_at, tail,
							 tail_at, addr),
				     .head_at = head_at,
				     .tail_at = tail_at,
				     .addr = addr,
				     .first = stamp,
				     .last = stamp,
				     .count = 1 };
	uint64_t at = hash_of(&found, loops);

	atomic_fetch_add_explicit(&b->emitted, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < PROBES;) {
		uint32_t slot = (uint32_t)(at + i) & (PAIRS_INDEX - 1);
		uint32_t n = atomic_load_explicit(&b->index[slot],
						  memory_order_acquire);

		if (!n) {
			if (entry_add(b, &found, slot))
				return;
			continue;
		}
		if (is_same(&b->pairs[n - 1], &found, loops)) {
			count_again(&b->pairs[n - 1], stamp);
			return;
		}
		i++;
	}
	atomic_fetch_add(&b->lost, 1);
}
