/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/shadow.h"

#include "runtime/sys.h"

#include <sys/mman.h>

enum { PAGE = 4096, AREA_LOG = 40, AREAS = 1 << (SHADOW_LOG - AREA_LOG) };

bool shadow_init(void)
{
	const size_t size = (size_t)2 << SHADOW_LOG;

	long at = SYS_6(SYS_mmap, SHADOW_BASE, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				MAP_FIXED_NOREPLACE,
			-1, 0);

	if (at != (long)SHADOW_BASE)
		return false;
	guest_hide((void *)at, size);
	/* Memory is touched here and there; whole huge pages would multiply
	 * what the program needs. */
	SYS_3(SYS_madvise, at, size, MADV_NOHUGEPAGE);
	return true;
}

/* For each sixteenth of the array: the high bits of the addresses it serves,
 * plus 1. Whoever comes first has it. */
bool shadow_has(uintptr_t addr)
{
	static _Atomic uint32_t served[AREAS];
	uint32_t high = (uint32_t)(addr >> SHADOW_LOG) + 1;
	_Atomic uint32_t *at = &served[addr >> AREA_LOG & (AREAS - 1)];
	uint32_t seen = atomic_load_explicit(at, memory_order_relaxed);

	if (likely(seen == high))
		return true;
	return !seen && (atomic_compare_exchange_strong(at, &seen, high) ||
			 seen == high);
}

static void cells_set(struct cell *from, struct cell *to, uint64_t write)
{
	for (struct cell *c = from; c < to; c++) {
		__atomic_store_n(&c->write, write, __ATOMIC_RELAXED);
		__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
	}
}

void shadow_fill(uintptr_t addr, size_t size, uint64_t write)
{
	struct cell *from = shadow_find(addr);
	struct cell *to = from + ((addr + size - 1) / 8 - addr / 8 + 1);
	uintptr_t low = ((uintptr_t)from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t high = (uintptr_t)to & ~(uintptr_t)(PAGE - 1);

	if (!shadow_has(addr))
		return;
	/* Whole pages of empty cells go back to the kernel where that is worth
	 * a system call. */
	if (!write && high > low && high - low >= 16 * PAGE &&
	    SYS_3(SYS_madvise, low, high - low, MADV_DONTNEED) == 0) {
		cells_set(from, (struct cell *)low, 0);
		cells_set((struct cell *)high, to, 0);
		return;
	}
	cells_set(from, to, write);
}
