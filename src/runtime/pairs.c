/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs.h"

#include "runtime/control.h"
#include "runtime/entries.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/*
 * Granules and their moments lie in leaves, one for each MiB of memory that is
 * used, found by a table over all addresses a program can have. Both are
 * reserved at once and filled by the kernel as they are touched.
 */
enum {
	ADDRESS_LOG = 47,
	LEAF_LOG = 20,
	LEAF_GRANULES = 1 << (LEAF_LOG - 3),
	LEAVES = 1 << 17,
	TOPS = 1 << (ADDRESS_LOG - LEAF_LOG),
	PAGE = 4096,
	HUGE_PAGE = 1 << 21,
	/* So many granules of a leaf are used first, then it is worth huge
	 * pages. */
	LEAF_BUSY = 8192,
};

bool pairing, pairing_plain;

struct leaf {
	struct granule granules[LEAF_GRANULES];
	struct moments moments[LEAF_GRANULES];
};

static struct leaf *_Atomic *tops;
static struct leaf *leaves;
static _Atomic uint32_t leaf_count;
static uint32_t leaf_uses[LEAVES]; /* of granules that knew nothing */

/* On a border of huge pages. */
static void *reserve(size_t size)
{
	long at = SYS_6(SYS_mmap, 0, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at < 0 && at > -4096)
		return NULL;
	guest_hide((void *)at, size + HUGE_PAGE);
	SYS_3(SYS_madvise, at, size + HUGE_PAGE, MADV_NOHUGEPAGE);
	return (void *)((at + HUGE_PAGE - 1) & -(long)HUGE_PAGE);
}

bool pairs_init(void)
{
	tops = reserve(TOPS * sizeof(*tops));
	leaves = reserve((size_t)LEAVES * sizeof(*leaves));
	return tops && leaves;
}

void pairs_begin(void)
{
	atomic_store(&leaf_count, 0);
	pairs_table_begin();
	pairing = true;
	pairing_plain = !control && region->pairs.flags & PAIRS_STACKS &&
			!(region->pairs.flags & PAIRS_DELAY);
	steered = true;
}

/* NULL: no room, or no address of a program. */
static COLD struct leaf *leaf_new(uintptr_t addr)
{
	struct leaf *_Atomic *top;
	struct leaf *none = NULL;
	uint32_t n;

	if (addr >> ADDRESS_LOG)
		return NULL;
	top = &tops[addr >> LEAF_LOG];
	n = atomic_fetch_add(&leaf_count, 1);
	if (n >= LEAVES) {
		guest_note("more memory than pairs can be collected of");
		return NULL;
	}
	if (!atomic_compare_exchange_strong(top, &none, &leaves[n]))
		return none;
	return &leaves[n];
}

/* NULL: the leaf is not there. */
static inline struct granule *granule_find(uintptr_t addr)
{
	/* No program comes away with an address that has more bits. */
	struct leaf *leaf = atomic_load_explicit(
		&tops[addr >> LEAF_LOG & (TOPS - 1)], memory_order_relaxed);

	return likely(leaf) ? &leaf->granules[addr >> 3 & (LEAF_GRANULES - 1)] :
			      NULL;
}

static struct granule *granule_get(uintptr_t addr)
{
	struct granule *g = granule_find(addr);
	struct leaf *leaf;

	if (likely(g))
		return g;
	leaf = leaf_new(addr);
	return leaf ? &leaf->granules[addr >> 3 & (LEAF_GRANULES - 1)] : NULL;
}

/* A leaf that is much used goes over to huge pages, where there are any: with
 * small ones, shadow this large costs more in looking for pages than in all
 * else. Where the kernel is too old for doing that at once, it holds for what
 * is touched from now on. */
static COLD void leaf_enlarge(uint32_t n)
{
	SYS_3(SYS_madvise, &leaves[n], sizeof(leaves[n]), MADV_HUGEPAGE);
	SYS_3(SYS_madvise, &leaves[n], sizeof(leaves[n]), MADV_COLLAPSE);
}

/* A granule that knew nothing is used. Threads may count at the same moment;
 * no number is left out so. */
static inline void leaf_use(const struct granule *g)
{
	uint32_t n = (uint32_t)(((uintptr_t)g - (uintptr_t)leaves) /
				sizeof(*leaves));
	uint32_t uses = __atomic_load_n(&leaf_uses[n], __ATOMIC_RELAXED) + 1;

	__atomic_store_n(&leaf_uses[n], uses, __ATOMIC_RELAXED);
	if (unlikely(uses == LEAF_BUSY))
		leaf_enlarge(n);
}

/* Behind all granules of the leaf come their moments. */
static inline struct moments *moments_of(struct granule *g)
{
	return (struct moments *)(g + LEAF_GRANULES);
}

static inline struct entries entries_of(struct granule *g)
{
	return (struct entries){ .words = g->words,
				 .at = moments_of(g)->at,
				 .count = GRANULE_ENTRIES };
}

/* ---- one granule ---- */

enum { NONE = GRANULE_ENTRIES };

/* Several threads read, over and over, what nobody writes: they would take the
 * granule from each other with every read. So their words are marked, and a
 * read at the same place as before leaves the moment of that one. */
#define WORD_STAYS UINT64_C(1)

/* What an access does to a granule that makes no pair or a single one. */
struct change {
	uint32_t put;	/* where it goes */
	uint32_t clear; /* what it takes away besides, or NONE */
	uint32_t head;	/* what it makes a pair with, or NONE */
	uint64_t word;	/* of that, as it was seen */
	bool is_shared; /* others read there too */
};

/* True: it makes no pair, and the change is simple. That is so when nobody else
 * has been there since the thread did the same to the same bytes, or only to
 * read as it does. Or it is a read of bytes that one other thread has written,
 * the first of its thread. */
static inline __attribute__((always_inline)) bool change_find(
	const struct granule *g, uint64_t word, bool is_write, struct change *c)
{
	uint64_t bytes = word & PAIR_BYTES;
	uint32_t room = NONE;
	bool is_known = false;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		uint64_t old = entry_get(&g->words[i]);

		if (!(old & bytes)) {
			room = old ? room : i;
			continue;
		}
		if (entry_is_other(old, word)) {
			if (is_write)
				return false;
			if (pair_kind(old) == PAIR_READ)
				c->is_shared = true;
			else if (c->head != NONE)
				return false;
			else
				c->head = i, c->word = old;
			continue;
		}
		if (!is_write && pair_kind(old) != PAIR_READ)
			continue;
		if (old & PAIR_BYTES & ~bytes || c->clear != NONE)
			return false;
		c->clear = c->put;
		c->put = i;
		is_known = (old & PAIR_BYTES) == bytes;
	}
	if (is_known)
		c->head = NONE;
	else if (c->head != NONE && c->put != NONE)
		return false;
	if (c->put == NONE)
		c->put = room;
	return c->put != NONE;
}

static void granule_share(struct granule *g, uint64_t bytes)
{
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		uint64_t old = entry_get(&g->words[i]);

		/* Not when its thread has put another there meanwhile. */
		if (old & bytes && pair_kind(old) == PAIR_READ)
			__atomic_compare_exchange_n(&g->words[i], &old,
						    old | WORD_STAYS, false,
						    __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	}
}

static __attribute__((noinline)) void granule_emit(struct thread *t,
						   struct granule *g,
						   const struct change *c,
						   const struct entry *made,
						   uintptr_t addr)
{
	guest_enter(t);
	entries_emit(t, entries_of(g), c->head, c->word, made, addr);
	guest_leave(t);
}

/* True: that was all. */
static inline __attribute__((always_inline)) bool granule_again(
	struct thread *t, struct granule *g, const struct entry *made,
	bool is_write, uintptr_t addr)
{
	struct change c = { .put = NONE, .clear = NONE, .head = NONE };

	if (unlikely(granule_is_wide(entry_get(&g->words[0]))) ||
	    !change_find(g, made->word, is_write, &c))
		return false;
	if (c.head != NONE)
		granule_emit(t, g, &c, made, addr);
	entries_set(entries_of(g), c.put, made);
	if (c.clear != NONE)
		entry_put(&g->words[c.clear], 0);
	if (!is_write && c.is_shared && !controlled)
		granule_share(g, made->word & PAIR_BYTES);
	return true;
}

/* The same again at the same place, with nothing else in the way; or a write to
 * bytes of which nothing is known. */
static inline bool granule_is_known(struct granule *g, uint64_t word,
				    uint64_t at, bool is_write)
{
	uint64_t others = 0;
	uint32_t same = NONE, room = NONE;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		uint64_t old = entry_get(&g->words[i]);

		if ((old ^ word) <= WORD_STAYS) {
			if (!is_write && old != word)
				return true;
			same = i;
			if (!is_write)
				break;
		} else {
			others |= old;
			room = old ? room : i;
		}
	}
	if (is_write && others & word & PAIR_BYTES)
		return false;
	if (same == NONE) {
		if (!is_write || room == NONE || granule_is_wide(others))
			return false;
		if (!others)
			leaf_use(g);
		same = room;
		entry_put(&g->words[same], word);
	}
	entry_put(&moments_of(g)->at[same], at);
	return true;
}

/* The older one of two or more that the thread of `word` has; NONE: it has not
 * so many. */
static uint32_t granule_oldest(struct granule *g, uint64_t word)
{
	const struct moments *m = moments_of(g);
	uint32_t oldest = NONE, count = 0;

	for (uint32_t i = 0; i < GRANULE_ENTRIES; i++) {
		if (entry_is_other(entry_get(&g->words[i]), word))
			continue;
		count++;
		if (oldest == NONE ||
		    entry_get(&m->at[i]) < entry_get(&m->at[oldest]))
			oldest = i;
	}
	return count > 1 ? oldest : NONE;
}

static void granule_access(struct thread *t, struct granule *g,
			   const struct entry *made, uintptr_t addr)
{
	struct entries e = entries_of(g);
	uint32_t room;

	if (granule_is_wide(entry_get(&g->words[0]))) {
		pairs_wide(t, g, moments_of(g), made, addr);
		return;
	}
	room = entries_room(e);
	if (room == NONE && controlled) {
		pairs_wide(t, g, moments_of(g), made, addr);
		return;
	}
	entries_access(t, e, made, addr);
	room = entries_room(e);
	if (room == NONE)
		room = granule_oldest(g, made->word);
	if (room != NONE)
		entries_set(e, room, made);
	else
		pairs_wide_add(g, moments_of(g), made);
}

/* ---- accesses ---- */

/* Under control: the tool wants to know where some accesses were made. */
static COLD void probes_look(const struct thread *t, uint32_t count)
{
	for (uint32_t i = 0; i < control->ask.probe_count; i++) {
		struct order_probe *p = &control->probes[i];
		const struct control_thread *c = &control->threads[t->number];

		if (p->thread != t->number || p->access != count ||
		    turn_live == 1)
			continue;
		p->site = c->site;
		p->visit = turn_visit;
		p->gate_site = c->hold_count ? c->gate_site : 0;
		p->gate_visit = c->hold_count ? c->gate_visit : 0;
	}
}

static inline uint32_t place_of(struct thread *t, uintptr_t pc)
{
	if (region->pairs.flags & PAIRS_STACKS)
		return stack_node(t, pc);
	return control_site(pc);
}

static void granules_access(struct thread *t, uintptr_t addr, size_t size,
			    const struct entry *made)
{
	uintptr_t end = addr + size;

	for (uintptr_t s = addr & ~(uintptr_t)7; s < end; s += 8) {
		uint32_t low = s < addr ? (uint32_t)(addr - s) : 0;
		uint32_t high = end - s < 8 ? (uint32_t)(end - s) : 8;
		uint64_t bytes = (0xffU >> (8 - (high - low))) << low;
		struct entry part = { .word = made->word |
					      bytes << PAIR_BYTES_SHIFT,
				      .at = made->at };
		struct granule *g = granule_get(s);

		if (unlikely(!g))
			return;
		if (!granule_again(t, g, &part,
				   pair_kind(made->word) != PAIR_READ,
				   s < addr ? addr : s))
			granule_access(t, g, &part, s < addr ? addr : s);
	}
}

static inline uint64_t word_of(const struct thread *t, uint32_t place,
			       enum pair_access kind)
{
	return (uint64_t)(t->number + 1) << PAIR_THREAD_SHIFT |
	       (uint64_t)place << PAIR_PLACE_SHIFT |
	       (uint64_t)kind << PAIR_KIND_SHIFT;
}

static inline uint64_t moment_of(const struct thread *t, uint32_t count)
{
	return (uint64_t)count << 32 | t->top->began;
}

void pairs_access(struct thread *t, uintptr_t addr, size_t size,
		  enum pair_access kind, uintptr_t pc)
{
	struct entry made;

	/* Before the shadow is told: between that and the access a delay would
	 * make others come first unseen. */
	if (unlikely(region->pairs.flags & PAIRS_DELAY && !t->inside))
		pairs_delay(t);
	guest_enter(t);
	t->pair_count++;
	made.word = word_of(t, place_of(t, pc), kind);
	made.at = moment_of(t, t->pair_count);
	if (unlikely(control && control->ask.probe_count))
		probes_look(t, t->pair_count);
	granules_access(t, addr, size, &made);
	guest_leave(t);
}

/* The first of its place or its memory. `what`: bytes << 1 | is_write. */
static COLD void plain_first(struct thread *t, uintptr_t addr, uintptr_t what,
			     uintptr_t pc)
{
	if (t->alive && !t->inside && !t->ignoring)
		pairs_access(t, addr, (size_t)__builtin_popcountl(what >> 1),
			     what & 1 ? PAIR_WRITE : PAIR_READ, pc);
}

/* An access of one granule that is not just known. Called last, so that the
 * hooks need no frame. */
static __attribute__((noinline)) void plain_new(struct thread *t,
						struct granule *g,
						uint64_t word, uintptr_t addr)
{
	struct entry made = { .word = word, .at = moment_of(t, t->pair_count) };

	if (!entry_get(&g->words[0]))
		leaf_use(g);
	if (pair_kind(word) == PAIR_READ ?
		    granule_again(t, g, &made, false, addr) :
		    granule_again(t, g, &made, true, addr))
		return;
	guest_enter(t);
	granule_access(t, g, &made, addr);
	guest_leave(t);
}

/* Most accesses only repeat what is known, and end here. A handler that strikes
 * meanwhile is like another thread that does. */
static inline __attribute__((always_inline)) void plain(struct thread *t,
							uintptr_t addr,
							uint64_t bytes,
							bool is_write,
							uintptr_t pc)
{
	struct granule *g;
	uint32_t node = 0;
	uint64_t word;

	if (likely(t->alive))
		node = stack_recall(t, pc);
	if (likely(node))
		g = granule_find(addr);
	if (unlikely(!node) || unlikely(!g)) {
		plain_first(t, addr, bytes << 1 | is_write, pc);
		return;
	}
	if (unlikely(thread_is_deaf(t)))
		return;
	/* The access itself comes next, and what is stored of it. */
	if (is_write)
		__builtin_prefetch((const void *)addr, 1);
	else
		__builtin_prefetch((const void *)addr, 0);
	word = word_of(t, node, is_write ? PAIR_WRITE : PAIR_READ) |
	       bytes << PAIR_BYTES_SHIFT;
	t->pair_count++;
	if (!granule_is_known(g, word, moment_of(t, t->pair_count), is_write))
		plain_new(t, g, word, addr);
}

HOT void pairs_read(struct thread *t, uintptr_t addr, uint64_t bytes,
		    uintptr_t pc)
{
	plain(t, addr, bytes, false, pc);
}

HOT void pairs_write(struct thread *t, uintptr_t addr, uint64_t bytes,
		     uintptr_t pc)
{
	plain(t, addr, bytes, true, pc);
}

/* ---- memory that begins anew ---- */

static void granules_forget(struct granule *from, struct granule *to)
{
	for (struct granule *g = from; g < to; g++) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < GRANULE_ENTRIES; i++)
			any |= entry_get(&g->words[i]);
		if (likely(!any))
			continue;
		if (unlikely(granule_is_wide(entry_get(&g->words[0]))))
			pairs_wide_forget(g);
		for (uint32_t i = 0; i < GRANULE_ENTRIES; i++)
			entry_put(&g->words[i], 0);
	}
}

/* Whole pages go back to the kernel where that is worth a system call. Lists
 * there are lost, which costs no more than their memory. */
static void leaf_forget(struct granule *from, struct granule *to)
{
	uintptr_t low = ((uintptr_t)from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t high = (uintptr_t)to & ~(uintptr_t)(PAGE - 1);

	if (high > low && high - low >= 16 * PAGE &&
	    SYS_3(SYS_madvise, low, high - low, MADV_DONTNEED) == 0) {
		granules_forget(from, (struct granule *)low);
		granules_forget((struct granule *)high, to);
		return;
	}
	granules_forget(from, to);
}

void pairs_forget(uintptr_t addr, size_t size)
{
	uintptr_t end = addr + size;

	while (addr < end) {
		uintptr_t next = (addr | ((1 << LEAF_LOG) - 1)) + 1;
		struct granule *g = granule_find(addr);
		uintptr_t stop = next < end ? next : end;

		if (g)
			leaf_forget(g, g + (stop - (addr & ~(uintptr_t)7) + 7) /
						       8);
		addr = next;
	}
}
