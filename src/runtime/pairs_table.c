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
		/* That of its last occurrence, and the iterations that it is
		 * of, where loops are followed. */
		struct access_pair *entry;
		uint64_t began;
	} known[MEMO];
};

/* A pair that has come. Given by value where that is seldom, so that it stays
 * in registers where that is often. */
struct came {
	uint64_t head, tail, before; /* bare words */
	uint64_t head_at, tail_at, addr;
	uint64_t when;
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
 * STAMP_EVERY accesses of its thread ago; `count` is how many it has made. */
static inline uint64_t now(struct pair_memo *m, uint32_t count)
{
	if (controlled)
		return ++clock_now;
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

/* What the thread of the tail did right before the head. */
static inline uint64_t before_of(const struct came *c)
{
	uint32_t at = (uint32_t)(c->addr >> 2 ^ c->addr >> 14) & (RECENT - 1);
	uint64_t before = 0;

	if (recent[at].addr == c->addr && recent[at].tail == c->head &&
	    recent[at].tail_at == c->head_at &&
	    !((recent[at].head ^ c->tail) >> PAIR_THREAD_SHIFT))
		before = recent[at].head;
	recent[at].addr = c->addr;
	recent[at].head = c->head;
	recent[at].tail = c->tail;
	recent[at].tail_at = c->tail_at;
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

static COLD void pair_fill(struct access_pair *p, struct came c, uint32_t slot)
{
	*p = (struct access_pair){ .head = c.head,
				   .tail = c.tail,
				   .before = c.before,
				   .head_at = c.head_at,
				   .tail_at = c.tail_at,
				   .addr = c.addr,
				   .first = c.when,
				   .last = c.when,
				   .slot = slot };
}

/* Another pair than any that is known: an entry of its own. */
static struct access_pair *pair_add(struct pair_block *b, const struct came *c,
				    uint32_t slot)
{
	struct access_pair *p = entries_take(b, 1);

	if (!p)
		return NULL;
	pair_fill(p, *c, slot);
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
					  const struct came *c)
{
	uint64_t hash =
		rng_mix(c->head ^ rng_mix(c->tail ^ rng_mix(c->before)));

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t slot = (uint32_t)(hash + i) & (PAIRS_INDEX - 1);
		uint32_t n = atomic_load_explicit(&b->index[slot],
						  memory_order_acquire);
		struct access_pair *p = &b->pairs[n - 1];

		if (!n)
			return pair_add(b, c, slot);
		if (p->head == c->head && p->tail == c->tail &&
		    p->before == c->before)
			return p;
	}
	return NULL;
}

/* The first pair of a thread in this run. NULL: there is no memory. */
static COLD struct pair_memo *memo_renew(struct thread *t)
{
	if (!t->pair_memo)
		t->pair_memo = guest_map(sizeof(*t->pair_memo));
	if (!t->pair_memo)
		return NULL;
	for (uint32_t i = 0; i < MEMO; i++)
		t->pair_memo->known[i].first = NULL;
	t->pair_memo->generation = generation;
	t->pair_memo->stamped = -(uint32_t)STAMP_EVERY;
	return t->pair_memo;
}

static inline struct pair_memo *memo_of(struct thread *t)
{
	struct pair_memo *m = t->pair_memo;

	return likely(m && m->generation == generation) ? m : memo_renew(t);
}

/* ---- iterations ---- */

enum { MORE = PAIR_EARLY + PAIR_LATE - 1 };

/* The beginnings of both iterations, of head and tail, as one. */
static inline uint64_t began_of(uint64_t head_at, uint64_t tail_at)
{
	return head_at << 32 | (uint32_t)tail_at;
}

static inline void pair_count(struct access_pair *p, uint32_t times)
{
	/* One thread changes it, so that nothing need be locked. */
	times += atomic_load_explicit(&p->count, memory_order_relaxed);
	atomic_store_explicit(&p->count, times, memory_order_relaxed);
}

static inline void pair_came(struct access_pair *p, uint64_t when)
{
	atomic_store_explicit(&p->last, when, memory_order_relaxed);
}

/* Its count goes to the first entry, and the place to another iteration. */
static inline void iteration_begin(struct access_pair *first,
				   struct access_pair *p, const struct came *c)
{
	uint32_t times = atomic_load_explicit(&p->count, memory_order_relaxed);

	if (unlikely(!p->head)) {
		pair_fill(p, *c, first->slot);
		return;
	}
	pair_count(first, times);
	atomic_store_explicit(&p->count, 0, memory_order_relaxed);
	p->head_at = c->head_at;
	p->tail_at = c->tail_at;
	p->addr = c->addr;
	p->first = c->when;
}

/* The entry for this iteration, which is not that of k->entry: the first, the
 * last, or the next. The last ones take turns in their places, and leave their
 * counts to the first. */
static inline struct access_pair *iteration_find(struct pair_block *b,
						 const struct known *k,
						 const struct came *c,
						 uint64_t began)
{
	struct access_pair *first = k->first, *more;
	uint32_t n = first->iterations;

	if (began_of(first->head_at, first->tail_at) == began)
		return first;
	if (unlikely(!first->more)) {
		more = entries_take(b, MORE);
		if (!more)
			return NULL;
		first->more = (uint32_t)(more - b->pairs);
	}
	more = &b->pairs[first->more];
	if (n && k->entry != &more[n - 1] &&
	    began_of(more[n - 1].head_at, more[n - 1].tail_at) == began)
		return &more[n - 1];
	/* Behind the early ones the places of the late ones, in turn. */
	if (n == MORE)
		n = PAIR_EARLY - 1;
	first->iterations = n + 1;
	iteration_begin(first, &more[n], c);
	return &more[n];
}

/* ---- what the thread remembers ---- */

static inline struct known *known_of(struct pair_memo *m, const struct came *c)
{
	uint64_t mix = (c->head ^ c->tail << 7 ^ c->before << 13) *
		       UINT64_C(0x9e3779b97f4a7c15);

	return &m->known[mix >> 56];
}

static inline bool known_is(const struct known *k, const struct came *c)
{
	return k->head == c->head && k->tail == c->tail &&
	       k->before == c->before && k->first;
}

/* Another pair than the last of its kind. */
static COLD void known_change(struct known *k, struct came c)
{
	*k = (struct known){ .head = c.head,
			     .tail = c.tail,
			     .before = c.before,
			     .first = pair_find(&region->pairs, &c) };
}

/* The entry for an occurrence of the pair; NULL: there is none. */
static inline struct access_pair *known_entry(struct known *k,
					      const struct came *c)
{
	struct pair_block *b = &region->pairs;
	uint64_t began = began_of(c->head_at, c->tail_at);

	if (!(b->flags & PAIRS_LOOPS) || unlikely(!k->first))
		return k->first;
	if (!k->entry || k->began != began) {
		k->entry = iteration_find(b, k, c, began);
		k->began = began;
	}
	pair_came(k->first, c->when);
	return k->entry;
}

static inline void emit(struct pair_memo *m, struct came *c)
{
	struct known *k = known_of(m, c);
	struct access_pair *p;

	if (unlikely(!known_is(k, c))) {
		c->when = controlled ? c->when : __builtin_ia32_rdtsc();
		known_change(k, *c);
	}
	p = known_entry(k, c);
	if (unlikely(!p)) {
		atomic_fetch_add(&region->pairs.lost, 1);
		return;
	}
	pair_came(p, c->when);
	pair_count(p, 1);
}

HOT void pairs_emit(struct thread *t, struct entry head, struct entry tail,
		    uintptr_t addr)
{
	struct pair_memo *m = memo_of(t);
	struct came c = { .head = bare(head.word),
			  .tail = bare(tail.word),
			  .head_at = head.at,
			  .tail_at = tail.at,
			  .addr = addr };

	if (unlikely(!m)) {
		atomic_fetch_add(&region->pairs.lost, 1);
		return;
	}
	guest_enter(t);
	c.when = now(m, (uint32_t)(tail.at >> 32));
	c.before = before_of(&c);
	emit(m, &c);
	guest_leave(t);
}
