/* SPDX-License-Identifier: Apache-2.0 */
#include "format/rng.h"
#include "runtime/control.h"
#include "runtime/pairs.h"

/*
 * The table of pairs in the region. An entry is filled before the index names
 * it. Only the thread of a pair's tail meets the pair, so two threads never
 * have the same to add, and what an entry counts needs no lock; each thread
 * remembers where the entries of its last pairs are.
 */

enum { PROBES = 256, RECENT = 1 << 12, MEMO = 256, STAMP_EVERY = 32 };

static uint64_t clock_now;
static uint32_t generation; /* of the table */

/* The last pair of some places in memory, to see what came before the next. */
static struct {
	uintptr_t addr;
	uint64_t head, tail, tail_at;
} recent[RECENT];

struct pair_memo {
	uint32_t generation;
	uint32_t stamped; /* the thread's count then */
	uint64_t stamp;
	struct known {
		uint64_t head, tail, before;
		struct access_pair *first; /* entry of the pair */
		/* That of its last occurrence, where loops are followed, and
		 * the iterations that it is of. */
		struct access_pair *entry;
		uint32_t head_began, tail_began;
	} known[MEMO];
};

void pairs_table_begin(void)
{
	struct pair_block *b = &region->pairs;
	uint32_t count = atomic_load(&b->count);

	for (uint32_t i = 0; i < count && i < PAIRS_MOST; i++) {
		atomic_store_explicit(&b->index[b->pairs[i].slot], 0,
				      memory_order_relaxed);
		b->pairs[i].head = 0;
		b->pairs[i].count = 0;
	}
	atomic_store(&b->count, 0);
	atomic_store(&b->lost, 0);
	clock_now = 0;
	generation++;
}

/* Under control every pair has a moment of its own. In a parallel run reading
 * the processor's counter would cost more than all else about a pair that is
 * known already: such a one is given the moment of a pair before it, at most
 * STAMP_EVERY accesses of its thread ago. */
static inline uint64_t now(struct pair_memo *m, const struct entry *tail)
{
	uint32_t count = (uint32_t)(tail->at >> 32);

	if (controlled)
		return ++clock_now;
	if (unlikely(!m))
		return 0;
	if (count - m->stamped >= STAMP_EVERY) {
		m->stamped = count;
		m->stamp = __builtin_ia32_rdtsc();
	}
	return m->stamp;
}

static inline uint64_t bare(uint64_t word)
{
	return word >> PAIR_PLACE_SHIFT << PAIR_PLACE_SHIFT |
	       (word & UINT64_C(3) << PAIR_KIND_SHIFT);
}

/* What the thread of `tail` did right before `head`. */
static uint64_t before_of(const struct entry *head, const struct entry *tail,
			  uintptr_t addr)
{
	uint32_t at = (uint32_t)(addr >> 2 ^ addr >> 14) & (RECENT - 1);
	uint64_t before = 0;

	if (recent[at].addr == addr && recent[at].tail == bare(head->word) &&
	    recent[at].tail_at == head->at &&
	    !((recent[at].head ^ tail->word) >> PAIR_THREAD_SHIFT))
		before = recent[at].head;
	recent[at].addr = addr;
	recent[at].head = bare(head->word);
	recent[at].tail = bare(tail->word);
	recent[at].tail_at = tail->at;
	return before;
}

/* ---- the table ---- */

/* Room for some entries in a row; NULL: there is none. */
static struct access_pair *entries_take(struct pair_block *b, uint32_t count)
{
	uint32_t n = atomic_load_explicit(&b->count, memory_order_relaxed);

	do {
		if (n > PAIRS_MOST - count)
			return NULL;
	} while (!atomic_compare_exchange_weak(&b->count, &n, n + count));
	return &b->pairs[n];
}

/* Another pair than any that is known: an entry of its own. */
static struct access_pair *pair_add(struct pair_block *b,
				    const struct access_pair *found,
				    uint32_t slot)
{
	struct access_pair *p = entries_take(b, 1);

	if (!p)
		return NULL;
	*p = *found;
	for (uint32_t i = 0; i < PROBES; i++, slot++) {
		uint32_t none = 0;

		p->slot = slot & (PAIRS_INDEX - 1);
		/* Pairs with the acquire in pair_find. */
		if (atomic_compare_exchange_strong_explicit(
			    &b->index[p->slot], &none,
			    (uint32_t)(p - b->pairs) + 1, memory_order_release,
			    memory_order_relaxed))
			return p;
	}
	p->head = 0;
	return NULL;
}

static COLD struct access_pair *pair_find(struct pair_block *b,
					  const struct access_pair *found)
{
	uint64_t hash = rng_mix(found->head ^
				rng_mix(found->tail ^ rng_mix(found->before)));

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t slot = (uint32_t)(hash + i) & (PAIRS_INDEX - 1);
		uint32_t n = atomic_load_explicit(&b->index[slot],
						  memory_order_acquire);
		struct access_pair *p = &b->pairs[n - 1];

		if (!n)
			return pair_add(b, found, slot);
		if (p->head == found->head && p->tail == found->tail &&
		    p->before == found->before)
			return p;
	}
	return NULL;
}

static struct pair_memo *memo_of(struct thread *t)
{
	if (unlikely(!t->pair_memo))
		t->pair_memo = guest_map(sizeof(*t->pair_memo));
	if (unlikely(t->pair_memo && t->pair_memo->generation != generation)) {
		for (uint32_t i = 0; i < MEMO; i++)
			t->pair_memo->known[i].first = NULL;
		t->pair_memo->generation = generation;
		t->pair_memo->stamped = -(uint32_t)STAMP_EVERY;
	}
	return t->pair_memo;
}

/* ---- iterations ---- */

static bool is_same_iteration(const struct access_pair *p,
			      const struct access_pair *q)
{
	return (uint32_t)p->head_at == (uint32_t)q->head_at &&
	       (uint32_t)p->tail_at == (uint32_t)q->tail_at;
}

/* The entry for this iteration: the first, the last, or the next. The last ones
 * take turns in their places, and leave their counts to the first. */
static struct access_pair *iteration_find(struct pair_block *b,
					  struct access_pair *first,
					  const struct access_pair *found)
{
	enum { MORE = PAIR_EARLY + PAIR_LATE - 1 };
	struct access_pair *more, *p;
	uint32_t n = first->iterations;

	if (is_same_iteration(first, found))
		return first;
	if (!first->more) {
		more = entries_take(b, MORE);
		if (!more)
			return NULL;
		first->more = (uint32_t)(more - b->pairs);
	}
	more = &b->pairs[first->more];
	if (n && is_same_iteration(&more[(n - 1) % MORE], found))
		return &more[(n - 1) % MORE];
	/* Behind the early ones the places of the late ones, in turn. */
	if (n >= MORE && n % MORE == 0)
		n += PAIR_EARLY - 1;
	first->iterations = n + 1;
	p = &more[n % MORE];
	atomic_store_explicit(&first->count, first->count + p->count,
			      memory_order_relaxed);
	if (!p->head) {
		*p = *found;
		p->slot = first->slot;
	}
	p->head_at = found->head_at;
	p->tail_at = found->tail_at;
	p->addr = found->addr;
	p->first = found->first;
	p->count = 0;
	return p;
}

/* ---- what the thread remembers ---- */

static inline struct known *known_of(struct pair_memo *m, uint64_t head,
				     uint64_t tail, uint64_t before)
{
	uint64_t mix = (head ^ tail << 7 ^ before << 13) *
		       UINT64_C(0x9e3779b97f4a7c15);

	return &m->known[mix >> 56];
}

static inline bool known_is(const struct known *k, uint64_t head, uint64_t tail,
			    uint64_t before)
{
	return k->head == head && k->tail == tail && k->before == before &&
	       k->first;
}

/* Another pair than the last of its kind. */
static COLD void known_change(struct known *k, struct access_pair *found)
{
	if (!controlled) {
		found->first = __builtin_ia32_rdtsc();
		found->last = found->first;
	}
	*k = (struct known){ .head = found->head,
			     .tail = found->tail,
			     .before = found->before,
			     .first = pair_find(&region->pairs, found) };
}

/* The entry for an occurrence of the pair; NULL: there is none. */
static inline struct access_pair *known_entry(struct known *k,
					      const struct access_pair *found)
{
	struct pair_block *b = &region->pairs;

	if (!(b->flags & PAIRS_LOOPS) || !k->first)
		return k->first;
	if (!k->entry || k->head_began != (uint32_t)found->head_at ||
	    k->tail_began != (uint32_t)found->tail_at) {
		k->entry = iteration_find(b, k->first, found);
		k->head_began = (uint32_t)found->head_at;
		k->tail_began = (uint32_t)found->tail_at;
	}
	atomic_store_explicit(&k->first->last, found->last,
			      memory_order_relaxed);
	return k->entry;
}

void pairs_emit(struct thread *t, const struct entry *head,
		const struct entry *tail, uintptr_t addr)
{
	struct pair_memo *m = memo_of(t);
	uint64_t stamp = now(m, tail);
	struct access_pair found = { .head = bare(head->word),
				     .tail = bare(tail->word),
				     .before = before_of(head, tail, addr),
				     .head_at = head->at,
				     .tail_at = tail->at,
				     .addr = addr,
				     .first = stamp,
				     .last = stamp };
	struct access_pair *p = NULL;
	struct known *k;

	if (likely(m)) {
		k = known_of(m, found.head, found.tail, found.before);
		if (unlikely(
			    !known_is(k, found.head, found.tail, found.before)))
			known_change(k, &found);
		p = known_entry(k, &found);
	}
	if (unlikely(!p)) {
		atomic_fetch_add(&region->pairs.lost, 1);
		return;
	}
	atomic_store_explicit(&p->last, found.last, memory_order_relaxed);
	atomic_store_explicit(&p->count, p->count + 1, memory_order_relaxed);
}
