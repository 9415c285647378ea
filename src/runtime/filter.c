/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/filter.h"

#include "runtime/latch.h"
#include "runtime/order.h"

/*
 * Readers: where several unordered threads read a granule, each has a word
 * here. A table has 2, 4 or 8 places and is replaced by a larger one when it
 * is full; beyond 8 one is told and gives up its place. From then on nobody
 * knows whether a writer is ordered after all readers, so any write shares.
 */
struct readers {
	uint64_t *words;
	uint32_t count;
};

/* In the word with the count. */
#define READERS_LOST (UINT64_C(1) << 32)
/* Is being copied into a larger one: whoever enters now enters in vain. */
#define READERS_CLOSED (UINT64_C(1) << 33)

enum { READERS_MOST = 8, READERS_POOL = 1 << 16, SHARE_AHEAD = 15 };

/* Tables of memory that began a new life wait in a queue, one for each size,
 * before they serve again: a thread may still be looking at one. */
enum { RETIRED_SIZES = 3, RETIRED_MOST = 1 << 14, RETIRED_REST = 1 << 13 };

static struct {
	uint64_t *at; /* words not yet given out */
	uint64_t *end;
	struct latch latch;
	struct {
		uint64_t *words[RETIRED_MOST];
		uint32_t head, tail;
	} retired[RETIRED_SIZES];
} pool;

/* 2, 4, 8: 0, 1, 2. */
static unsigned int readers_size(uint64_t count)
{
	return (unsigned int)__builtin_ctzl(count) - 1;
}

static uint64_t *retired_take(uint32_t count)
{
	typeof(*pool.retired) *q = &pool.retired[readers_size(count)];
	uint64_t *words;

	if (q->tail - q->head <= RETIRED_REST)
		return NULL;
	words = q->words[q->head++ % RETIRED_MOST];
	for (uint32_t i = 0; i < count; i++)
		words[i] = 0;
	words[-1] = count;
	return words;
}

static void readers_retire(uint64_t word)
{
	uint64_t *words = (uint64_t *)(uintptr_t)(word & ~WORD_READERS);
	typeof(*pool.retired) *q =
		&pool.retired[readers_size((uint32_t)words[-1])];

	latch_take(&pool.latch);
	if (q->tail - q->head < RETIRED_MOST)
		q->words[q->tail++ % RETIRED_MOST] = words;
	latch_give(&pool.latch);
}

void filter_forget(uintptr_t addr, size_t size)
{
	const struct cell *at = shadow_find(addr);
	const struct cell *end = shadow_find(addr + size - 1) + 1;

	for (; at < end; at++)
		if (word_load(&at->write) != SHARED &&
		    word_is_readers(word_load(&at->read)))
			readers_retire(word_load(&at->read));
}

static uint64_t *readers_new(uint32_t count)
{
	uint64_t *words;

	latch_take(&pool.latch);
	words = retired_take(count);
	if (words)
		goto out;
	if (pool.at + count + 1 > pool.end) {
		pool.at = guest_map(READERS_POOL * sizeof(*pool.at));
		pool.end = pool.at ? pool.at + READERS_POOL : NULL;
	}
	if (pool.at) {
		/* The word in front holds the count. */
		words = pool.at + 1;
		words[-1] = count;
		pool.at += count + 1;
	}
out:
	latch_give(&pool.latch);
	return words;
}

static uint64_t readers_word(const uint64_t *words)
{
	return WORD_READERS | (uintptr_t)words;
}

static struct readers readers_of(uint64_t word)
{
	uint64_t *words = (uint64_t *)(uintptr_t)(word & ~WORD_READERS);

	return (struct readers){ .words = words, .count = (uint32_t)words[-1] };
}

bool filter_knows_reader(const struct thread *t, uint64_t read_word,
			 uint64_t bytes)
{
	struct readers r = readers_of(read_word);

	for (uint32_t i = 0; i < r.count; i++)
		if (word_covers(word_load(&r.words[i]), t->tag, bytes))
			return true;
	return false;
}

/* ---- one step of a cell ---- */

/* Two nodes for one word: what both have in common, or nothing. */
static uint32_t node_common(uint32_t a, uint32_t b)
{
	if (a == b)
		return a;
	if (a && b && region->stacks[a].parent == region->stacks[b].parent)
		return region->stacks[a].parent;
	return NO_STACK;
}

/* Puts `mine` where `old` was, which is by the same thread or ordered before.
 * Bytes that `mine` does not have are forgotten: then `old` is told, and the
 * word says that there was more. */
static uint64_t word_replace(uint64_t old, uint64_t mine, uint64_t *told)
{
	if (!old)
		return mine;
	if ((old ^ mine) & WORD_TAG) {
		if (word_bytes(mine) == 0xff)
			return mine;
		if (word_bytes(old) & ~word_bytes(mine)) {
			*told = old;
			return mine | WORD_MORE;
		}
		return mine | (old & WORD_MORE);
	}
	if (!(word_bytes(mine) & ~word_bytes(old)))
		return old;
	return ((old | mine) & ~WORD_NODE) |
	       node_common(word_node(old), word_node(mine));
}

static bool conflicts(const struct thread *t, uint64_t old, uint64_t mine)
{
	return old && (old & WORD_MORE || word_bytes(old) & word_bytes(mine)) &&
	       !order_is_before(t, old);
}

static inline struct filter_step step_share(struct cell old)
{
	struct filter_step s = { .verdict = FILTER_KEEP,
				 .next = { SHARED, 0 } };

	s.told_write = old.write;
	if (!word_is_readers(old.read))
		s.told_read = old.read;
	return s;
}

static inline struct filter_step step_read(const struct thread *t,
					   struct cell old, uint64_t mine)
{
	struct filter_step s = { .verdict = FILTER_LEAVE, .next = old };

	if (conflicts(t, old.write, mine))
		return step_share(old);
	if (word_is_readers(old.read) ||
	    (old.read && !order_is_before(t, old.read)))
		s.verdict = FILTER_READERS;
	else
		s.next.read = word_replace(old.read, mine, &s.told_read);
	return s;
}

static inline struct filter_step step_write(const struct thread *t,
					    struct cell old, uint64_t mine,
					    bool readers_conflict)
{
	struct filter_step s = { .verdict = FILTER_LEAVE, .next = old };

	/* One word for writes: two unordered threads writing different bytes
	 * of a granule have no room either. */
	if ((old.write && !order_is_before(t, old.write)) || readers_conflict)
		return step_share(old);
	if (!word_is_readers(old.read)) {
		if (conflicts(t, old.read, mine))
			return step_share(old);
		/* Reads that this write covers are ordered before it, and
		 * whoever conflicts with them conflicts with it. */
		if (old.read && order_is_before(t, old.read) &&
		    !(word_bytes(old.read) & ~word_bytes(mine)))
			s.next.read = 0;
	}
	s.next.write = word_replace(old.write, mine, &s.told_write);
	return s;
}

static inline __attribute__((always_inline)) struct filter_step step(
	const struct thread *t, struct cell old, struct filter_access a,
	bool readers_conflict)
{
	if (old.write == SHARED)
		return (struct filter_step){ .verdict = FILTER_KEEP,
					     .next = old };
	if (!t->incarnation)
		return step_share(old);
	return a.is_write ? step_write(t, old, a.word, readers_conflict) :
			    step_read(t, old, a.word);
}

struct filter_step filter_step(const struct thread *t, struct cell old,
			       struct filter_access a, bool readers_conflict)
{
	return step(t, old, a, readers_conflict);
}

/* ---- the same on memory that others change too ---- */

static bool cell_swap(struct cell *at, struct cell *old, struct cell next)
{
	unsigned __int128 expected, wanted, seen;

	expected = (unsigned __int128)old->read << 64 | old->write;
	wanted = (unsigned __int128)next.read << 64 | next.write;
	seen = __sync_val_compare_and_swap((unsigned __int128 *)at, expected,
					   wanted);
	old->write = (uint64_t)seen;
	old->read = (uint64_t)(seen >> 64);
	return seen == expected;
}

/* Tells an access that was left out: one event for each run of bytes. */
static void tell(struct thread *t, uintptr_t granule, uint64_t word,
		 bool is_write)
{
	struct order_owner owner;
	uint32_t bytes = word_bytes(word);

	if (!word)
		return;
	owner = order_owner(word);
	if (owner.thread == NO_THREAD)
		return;
	if (likely(bytes == 0xff)) {
		record_earlier(t, is_write, granule, 8,
			       earlier_arg(owner.thread, owner.segment),
			       word_node(word));
		return;
	}
	for (unsigned int i = 0; i < 8;) {
		unsigned int n = 0;

		while (i + n < 8 && bytes >> (i + n) & 1)
			n++;
		if (n)
			record_earlier(t, is_write, granule + i, n,
				       earlier_arg(owner.thread, owner.segment),
				       word_node(word));
		i += n + 1;
	}
}

static void tell_step(struct thread *t, uintptr_t granule,
		      const struct filter_step *s)
{
	tell(t, granule, s->told_write, true);
	tell(t, granule, s->told_read, false);
}

/* The granule has just become shared by us: its readers are told. Readers that
 * come to the table from now on look at the cell again and record. */
static void tell_readers(struct thread *t, uintptr_t granule, uint64_t word)
{
	struct readers r = readers_of(word);

	for (uint32_t i = 0; i < r.count; i++)
		tell(t, granule,
		     __atomic_exchange_n(&r.words[i], 0, __ATOMIC_SEQ_CST),
		     false);
}

static bool readers_conflict(const struct thread *t, uint64_t read_word,
			     uint64_t mine)
{
	struct readers r = readers_of(read_word);

	if (word_load(&r.words[-1]) & READERS_LOST)
		return true;
	for (uint32_t i = 0; i < r.count; i++)
		if (conflicts(t, word_load(&r.words[i]), mine))
			return true;
	return false;
}

/* Puts `mine` into a place of the table: that of the same thread, or of one
 * ordered before, or a free one. */
static bool readers_put(struct thread *t, uintptr_t granule, struct readers r,
			uint64_t mine)
{
	for (uint32_t i = 0; i < r.count; i++) {
		uint64_t old = word_load(&r.words[i]);
		uint64_t told = 0;

		if (old && !order_is_before(t, old))
			continue;
		if (!__atomic_compare_exchange_n(
			    &r.words[i], &old, word_replace(old, mine, &told),
			    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return readers_put(t, granule, r, mine);
		tell(t, granule, told, false);
		return true;
	}
	return false;
}

/* Both words as they were at one moment: a word of `write` that was replaced
 * never comes back. */
static struct cell cell_load(const struct cell *at)
{
	struct cell c;

	do {
		c.write = __atomic_load_n(&at->write, __ATOMIC_SEQ_CST);
		c.read = __atomic_load_n(&at->read, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&at->write, __ATOMIC_SEQ_CST) != c.write);
	return c;
}

static void granule_share(struct thread *t, uintptr_t granule)
{
	struct cell *at = shadow_find(granule);
	struct cell old;

	if (unlikely(!shadow_has(granule)))
		return;
	old = cell_load(at);
	while (old.write != SHARED) {
		bool table = word_is_readers(old.read);
		struct filter_step s = step_share(old);

		if (!cell_swap(at, &old, s.next))
			continue;
		tell_step(t, granule, &s);
		if (table)
			tell_readers(t, granule, old.read);
		return;
	}
}

/* Makes room for a further reader: a table where there was one word, a larger
 * table, or the place of one in a full table of the largest size. Then, or
 * when the cell changed meanwhile, all is to be looked at again. */
static void readers_grow(struct thread *t, uintptr_t granule, struct cell *at,
			 struct cell *old)
{
	struct readers r = { &old->read, 1 };
	struct cell next = *old;
	uint64_t *words;

	if (word_is_readers(old->read)) {
		r = readers_of(old->read);
		if (r.count == READERS_MOST) {
			/* First, so that a writer sees one or the other. */
			__atomic_fetch_or(&r.words[-1], READERS_LOST,
					  __ATOMIC_SEQ_CST);
			tell(t, granule,
			     __atomic_exchange_n(
				     &r.words[t->number % READERS_MOST], 0,
				     __ATOMIC_SEQ_CST),
			     false);
			return;
		}
	}
	words = readers_new(2 * r.count);
	if (!words) {
		/* No memory: share, which needs none. */
		guest_note("no memory for tables of readers");
		granule_share(t, granule);
		return;
	}
	/* A reader looks at this mark after it has entered. Either it sees it,
	 * and looks at the cell again, or its word is here to be copied. */
	if (word_is_readers(old->read))
		__atomic_fetch_or(&r.words[-1], READERS_CLOSED,
				  __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < r.count; i++)
		words[i] = word_load(&r.words[i]);
	next.read = readers_word(words);
	if (!cell_swap(at, old, next))
		readers_retire(next.read);
}

/* What one thread filled and hands to another is seldom a single granule. The
 * granules behind one that has just become shared, written by the same thread
 * in the same segment and place and touched by nobody since, become shared with
 * it: at worst something is recorded that need not be. */
static void share_ahead(struct thread *t, uintptr_t granule, uint64_t write)
{
	struct cell expected = { .write = write };
	struct cell *at = shadow_find(granule) + 1;
	uint32_t n = 0;
	struct order_owner owner;

	if (word_bytes(write) != 0xff)
		return;
	while (n < SHARE_AHEAD && word_load(&at[n].write) == write) {
		struct cell old = expected;

		if (!cell_swap(&at[n], &old, (struct cell){ SHARED, 0 }))
			break;
		n++;
	}
	if (!n)
		return;
	owner = order_owner(write);
	record_earlier(t, true, granule + 8, 8 * n,
		       earlier_arg(owner.thread, owner.segment),
		       word_node(write));
}

static bool readers_are_closed(struct readers r)
{
	return __atomic_load_n(&r.words[-1], __ATOMIC_SEQ_CST) & READERS_CLOSED;
}

/* A read beside other readers. Returns true when its word is in the cell's
 * table; otherwise `old` is fresh and all is to be looked at again. A closed
 * table is replaced here as well, so that nobody waits for the thread that
 * closed it. */
static bool readers_enter(struct thread *t, uintptr_t granule, struct cell *at,
			  struct cell *old, uint64_t mine)
{
	struct cell now;

	if (!word_is_readers(old->read) ||
	    !readers_put(t, granule, readers_of(old->read), mine) ||
	    readers_are_closed(readers_of(old->read))) {
		readers_grow(t, granule, at, old);
		*old = cell_load(at);
		return false;
	}
	/* Pairs with write_meets_readers: of a reader that enters and a writer
	 * that swaps, one sees the other. */
	now = cell_load(at);
	if (now.read == old->read && now.write == old->write)
		return true;
	*old = now;
	return false;
}

/* The second look of a writer whose word is in the cell: a reader may have
 * entered the table since the first. Whoever shares the granule empties the
 * table afterwards, so an empty one says something only where the granule is
 * not shared. */
static bool write_meets_readers(const struct thread *t, const struct cell *at,
				uint64_t read_word, uint64_t mine)
{
	return readers_conflict(t, read_word, mine) ||
	       __atomic_load_n(&at->write, __ATOMIC_SEQ_CST) == SHARED;
}

bool filter_access(struct thread *t, uintptr_t granule, uint32_t bytes,
		   bool is_write, uint32_t node)
{
	struct cell *at = shadow_find(granule);
	struct cell old;
	struct filter_access a = {
		.word = (uint64_t)t->incarnation << WORD_INCARNATION_SHIFT |
			(uint64_t)t->word_segment << WORD_SEGMENT_SHIFT |
			(uint64_t)bytes << WORD_BYTES_SHIFT | node,
		.is_write = is_write,
	};

	if (unlikely(!shadow_has(granule)))
		return true;
	old = cell_load(at);
	for (;;) {
		bool table = old.write != SHARED && word_is_readers(old.read);
		bool hit = is_write && table &&
			   readers_conflict(t, old.read, a.word);
		struct filter_step s = step(t, old, a, hit);

		if (s.verdict == FILTER_READERS) {
			if (readers_enter(t, granule, at, &old, a.word))
				return false;
			continue;
		}
		if (s.next.write != old.write || s.next.read != old.read) {
			if (!cell_swap(at, &old, s.next))
				continue;
			tell_step(t, granule, &s);
			if (table && s.next.write == SHARED)
				tell_readers(t, granule, old.read);
			else if (s.next.write == SHARED && s.told_write)
				share_ahead(t, granule, s.told_write);
		}
		if (!table || s.verdict == FILTER_KEEP ||
		    !write_meets_readers(t, at, old.read, a.word))
			return s.verdict == FILTER_KEEP;
		old = cell_load(at);
	}
}

void filter_share(struct thread *t, uintptr_t addr, size_t size)
{
	for (uintptr_t g = addr & ~(uintptr_t)7; g < addr + size; g += 8)
		granule_share(t, g);
}
