/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs_granules.h"

#include "runtime/pairs.h"
#include "runtime/sys.h"

#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Leaves and their table are reserved at once and filled by the kernel as they
 * are touched. With small pages, shadow this large costs more in looking for
 * pages than in all else; with huge ones, memory that is used here and there
 * needs many times its size. So a huge page is asked for where it is known that
 * all of it is worth while: memory that was got in one piece has been got to be
 * used, and else some of it must have been used first. */
enum {
	PAGE = 4096,
	HUGE_PAGE = 1 << GRANULE_PAGE_LOG,
	HUGE_GRANULES = HUGE_PAGE / sizeof(struct granule),
	HUGE_PAGES = 2 * LEAVES * (sizeof(struct leaf) / HUGE_PAGE),
	/* Of memory in one piece: a page is worth it if a quarter belongs to
	 * it. Pieces that are very large may be meant to stay empty. */
	PIECE_LEAST = HUGE_GRANULES / 4,
	PIECE_MOST = 1 << 26,
	/* So much shadow, or more, goes back to the kernel when its memory
	 * begins anew. */
	FORGET_MOST = 64 * PAGE,
};

struct leaf *_Atomic *granule_leaves;
struct leaf *granule_shadow;
static _Atomic uint32_t leaf_count;
uint16_t granule_uses[HUGE_PAGES];

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

bool granules_init(void)
{
	granule_leaves = reserve(LEAF_PLACES * sizeof(*granule_leaves));
	granule_shadow = reserve((size_t)2 * LEAVES * sizeof(*granule_shadow));
	return granule_leaves && granule_shadow;
}

void granules_begin(void)
{
	atomic_store(&leaf_count, 0);
}

static COLD struct leaf *leaf_new(uintptr_t addr)
{
	struct leaf *_Atomic *at;
	struct leaf *none = NULL;
	uint32_t n;

	if (addr >> ADDRESS_LOG)
		return NULL;
	at = &granule_leaves[addr >> LEAF_LOG];
	n = atomic_fetch_add(&leaf_count, 1);
	if (n >= LEAVES) {
		guest_note("more memory than pairs can be collected of");
		return NULL;
	}
	if (!atomic_compare_exchange_strong(at, &none, &granule_shadow[n]))
		return none;
	return &granule_shadow[n];
}

struct granule *granule_get(uintptr_t addr)
{
	struct granule *g = granule_find(addr);
	struct leaf *leaf;

	if (likely(g))
		return g;
	leaf = leaf_new(addr);
	return leaf ? leaf_granule(leaf, addr) : NULL;
}

/* Nothing much is there yet: it holds for what is touched from now on. */
static void page_enlarge(uint32_t page)
{
	uintptr_t at = (uintptr_t)granule_shadow +
		       ((uintptr_t)page << GRANULE_PAGE_LOG);

	__atomic_store_n(&granule_uses[page], GRANULE_BUSY, __ATOMIC_RELAXED);
	SYS_3(SYS_madvise, at, HUGE_PAGE, MADV_HUGEPAGE);
}

/* Where the kernel is too old for going over at once, that is all the same. */
static COLD void page_collapse(uint32_t page)
{
	uintptr_t at = (uintptr_t)granule_shadow +
		       ((uintptr_t)page << GRANULE_PAGE_LOG);

	page_enlarge(page);
	SYS_3(SYS_madvise, at, HUGE_PAGE, MADV_COLLAPSE);
}

/* Threads may count at the same moment; no number is left out so. */
COLD void granule_count(uint32_t page)
{
	uint16_t uses = __atomic_load_n(&granule_uses[page], __ATOMIC_RELAXED);

	__atomic_store_n(&granule_uses[page], ++uses, __ATOMIC_RELAXED);
	if (unlikely(uses == GRANULE_BUSY))
		page_collapse(page);
}

/* ---- memory that begins anew ---- */

/* Far places are closed so. */
static void range_forget(struct granule *from, struct granule *to)
{
	for (struct granule *g = from; g < to; g++) {
		uint64_t first = entry_get(&g->near[0].word);

		if (likely(!(first | entry_get(&g->near[1].word))))
			continue;
		if (unlikely(granule_is_wide(first)))
			pairs_wide_forget(g);
		entry_put(&g->near[0].word, 0);
		entry_put(&g->near[1].word, 0);
	}
}

/* Whole pages go back to the kernel where that is worth a system call. Lists
 * there are lost, which costs no more than their memory. */
static void leaf_forget(struct granule *from, struct granule *to)
{
	uintptr_t low = ((uintptr_t)from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t high = (uintptr_t)to & ~(uintptr_t)(PAGE - 1);

	if (high > low && high - low >= FORGET_MOST &&
	    SYS_3(SYS_madvise, low, high - low, MADV_DONTNEED) == 0) {
		range_forget(from, (struct granule *)low);
		range_forget((struct granule *)high, to);
		return;
	}
	range_forget(from, to);
}

void granules_forget(uintptr_t addr, size_t size)
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

void granules_expect(uintptr_t addr, size_t size)
{
	/* So much memory has its shadow on one huge page. */
	const uintptr_t span = HUGE_GRANULES * UINT64_C(8);
	uintptr_t end = addr + size;

	if (size < PIECE_LEAST * 8 || size > PIECE_MOST)
		return;
	while (addr < end) {
		uintptr_t next = (addr | (span - 1)) + 1;
		uintptr_t stop = next < end ? next : end;
		struct granule *g = stop - addr >= PIECE_LEAST * 8 ?
					    granule_get(addr) :
					    NULL;

		if (g && __atomic_load_n(&granule_uses[granule_page(g)],
					 __ATOMIC_RELAXED) < GRANULE_BUSY)
			page_enlarge(granule_page(g));
		addr = next;
	}
}
