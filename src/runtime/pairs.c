/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs.h"

#include "runtime/control.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <sys/mman.h>

/*
 * Spots lie in leaves, one for each MiB of memory that is used, found by a
 * table over all addresses a program can have. Both are reserved at once and
 * filled by the kernel as they are touched.
 */
enum {
	ADDRESS_LOG = 47,
	LEAF_LOG = 20,
	LEAF_SPOTS = 1 << (LEAF_LOG - 2),
	LEAVES = 1 << 17,
	TOPS = 1 << (ADDRESS_LOG - LEAF_LOG),
	PAGE = 4096,
};

bool pairing;

static _Atomic uint32_t *tops; /* leaf + 1 */
static struct spot (*leaves)[LEAF_SPOTS];
static _Atomic uint32_t leaf_count;

static void *reserve(size_t size)
{
	long at = SYS_6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at < 0 && at > -4096)
		return NULL;
	guest_hide((void *)at, size);
	SYS_3(SYS_madvise, at, size, MADV_NOHUGEPAGE);
	return (void *)at;
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
	steered = true;
}

/* NULL: no room, or no address of a program. */
static COLD struct spot *leaf_new(uintptr_t addr)
{
	_Atomic uint32_t *top;
	uint32_t n, none = 0;

	if (addr >> ADDRESS_LOG)
		return NULL;
	top = &tops[addr >> LEAF_LOG];
	n = atomic_fetch_add(&leaf_count, 1);
	if (n >= LEAVES) {
		guest_note("more memory than pairs can be collected of");
		return NULL;
	}
	if (!atomic_compare_exchange_strong(top, &none, n + 1))
		n = none - 1;
	return leaves[n];
}

static inline struct spot *spot_find(uintptr_t addr, bool make)
{
	uint32_t leaf = unlikely(addr >> ADDRESS_LOG) ?
				0 :
				atomic_load_explicit(&tops[addr >> LEAF_LOG],
						     memory_order_relaxed);
	struct spot *spots;

	if (likely(leaf))
		spots = leaves[leaf - 1];
	else
		spots = make ? leaf_new(addr) : NULL;
	return likely(spots) ? &spots[addr >> 2 & (LEAF_SPOTS - 1)] : NULL;
}

/* ---- one spot ---- */

static inline uint64_t get(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void put(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline bool is_other(uint64_t a, uint64_t b)
{
	return (a ^ b) >> PAIR_THREAD_SHIFT;
}

static inline bool is_alike(uint64_t a, uint64_t b)
{
	return !((a ^ b) & ~PAIR_BYTES);
}

/* Are the bytes of `a` all in `b`? */
static inline bool is_within(uint64_t a, uint64_t b)
{
	return !(a & ~b & PAIR_BYTES);
}

static inline void spot_read(struct spot *s, uint64_t write, uint64_t word,
			     uint64_t at, uintptr_t addr)
{
	uint64_t read = get(&s->read);
	uint64_t fresh = word & PAIR_BYTES;

	if (read) {
		if (is_other(read, word) ||
		    (!is_alike(read, word) && !is_within(read, word))) {
			pairs_wide(s, word, at, addr);
			return;
		}
		fresh &= ~read;
	}
	if (unlikely(write & fresh && is_other(write, word)))
		pairs_emit(write, get(&s->write_at), word, at, addr);
	put(&s->read, is_alike(read, word) ? word | read : word);
	put(&s->read_at, at);
}

static inline void spot_write(struct spot *s, uint64_t write, uint64_t word,
			      uint64_t at, uintptr_t addr)
{
	uint64_t read = get(&s->read), bytes = word & PAIR_BYTES;

	if (!is_within(write, word) && !is_alike(write, word)) {
		pairs_wide(s, word, at, addr);
		return;
	}
	if (unlikely(read & bytes && is_other(read, word)))
		pairs_emit(read, get(&s->read_at), word, at, addr);
	if (unlikely(write & bytes & ~read && is_other(write, word)))
		pairs_emit(write, get(&s->write_at), word, at, addr);
	if (read)
		put(&s->read, is_within(read, word) ? 0 : read & ~bytes);
	put(&s->write, is_alike(write, word) ? word | write : word);
	put(&s->write_at, at);
}

static inline void spot_access(struct spot *s, uint64_t word, uint64_t at,
			       uintptr_t addr)
{
	uint64_t write = get(&s->write);

	if (unlikely(spot_is_wide(write)))
		pairs_wide(s, word, at, addr);
	else if (pair_kind(word) == PAIR_READ)
		spot_read(s, write, word, at, addr);
	else
		spot_write(s, write, word, at, addr);
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

static void spots_access(uintptr_t addr, size_t size, uint64_t word,
			 uint64_t at)
{
	uintptr_t end = addr + size;

	for (uintptr_t s = addr & ~(uintptr_t)3; s < end; s += 4) {
		uint32_t low = s < addr ? (uint32_t)(addr - s) : 0;
		uint32_t high = end - s < 4 ? (uint32_t)(end - s) : 4;
		uint64_t bytes = (15U >> (4 - (high - low))) << low;
		struct spot *spot = spot_find(s, true);

		if (unlikely(!spot))
			return;
		spot_access(spot, word | bytes << PAIR_BYTES_SHIFT, at,
			    s < addr ? addr : s);
	}
}

void pairs_access(struct thread *t, uintptr_t addr, size_t size,
		  enum pair_access kind, uintptr_t pc)
{
	uint64_t word, began = 0;
	uint32_t loop_began = 0;

	/* Before the shadow is told: between that and the access a delay would
	 * make others come first unseen. */
	if (unlikely(region->pairs.flags & PAIRS_DELAY && !t->inside))
		pairs_delay(t);
	guest_enter(t);
	word = (uint64_t)(t->number + 1) << PAIR_THREAD_SHIFT |
	       (uint64_t)place_of(t, pc) << PAIR_PLACE_SHIFT |
	       (uint64_t)kind << PAIR_KIND_SHIFT;
	if (region->pairs.flags & PAIRS_LOOPS) {
		pairs_loop(t, &word, &loop_began);
		began = loop_began;
	}
	t->pair_count++;
	if (unlikely(control && control->ask.probe_count))
		probes_look(t, t->pair_count);
	spots_access(addr, size, word, (uint64_t)t->pair_count << 32 | began);
	guest_leave(t);
}

/* ---- memory that begins anew ---- */

static void spots_forget(struct spot *from, struct spot *to)
{
	for (struct spot *s = from; s < to; s++) {
		if (spot_is_wide(get(&s->write)))
			pairs_wide_forget(s);
		put(&s->write, 0);
		put(&s->read, 0);
	}
}

void pairs_forget(uintptr_t addr, size_t size)
{
	uintptr_t end = addr + size;

	while (addr < end) {
		uintptr_t next = (addr | ((1 << LEAF_LOG) - 1)) + 1;
		struct spot *s = spot_find(addr, false);
		uintptr_t stop = next < end ? next : end;

		if (s)
			spots_forget(
				s, s + (stop - (addr & ~(uintptr_t)3) + 3) / 4);
		addr = next;
	}
}
