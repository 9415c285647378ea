/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/shadow.h"

#include "runtime/sys.h"

#include <sys/mman.h>

struct cell *shadow_blocks[SHADOW_BLOCKS];

enum { PAGE = 4096 };

struct cell *shadow_make(uintptr_t addr)
{
	const size_t size = (size_t)1 << (SHADOW_BLOCK_LOG + 1);
	struct cell **at =
		&shadow_blocks[addr >> SHADOW_BLOCK_LOG & (SHADOW_BLOCKS - 1)];
	struct cell *none = NULL;

	if (!__atomic_load_n(at, __ATOMIC_ACQUIRE)) {
		struct cell *block = guest_map(size);

		if (!block)
			return NULL;
		/* Two threads may come at once; the loser's block was never
		 * touched and costs nothing but addresses, so unmap it. */
		if (!__atomic_compare_exchange_n(at, &none, block, false,
						 __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			SYS_2(SYS_munmap, block, size);
	}
	return shadow_find(addr);
}

/* Whole pages of cells go back to the kernel, the rest is zeroed by hand.
 * Only ranges worth a system call are given back. */
static void cells_clear(struct cell *from, struct cell *to)
{
	uintptr_t low = ((uintptr_t)from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t high = (uintptr_t)to & ~(uintptr_t)(PAGE - 1);

	if (high > low && high - low >= 16 * PAGE &&
	    SYS_3(SYS_madvise, low, high - low, MADV_DONTNEED) == 0) {
		cells_clear(from, (struct cell *)low);
		cells_clear((struct cell *)high, to);
		return;
	}
	for (struct cell *c = from; c < to; c++) {
		if (word_load(&c->write) | word_load(&c->read)) {
			__atomic_store_n(&c->write, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&c->read, 0, __ATOMIC_RELAXED);
		}
	}
}

void shadow_clear(uintptr_t addr, size_t size)
{
	const uintptr_t block = (uintptr_t)1 << SHADOW_BLOCK_LOG;
	uintptr_t end = addr + size;

	while (addr < end) {
		uintptr_t next = (addr | (block - 1)) + 1;
		struct cell *c = shadow_find(addr);

		if (next > end)
			next = end;
		if (c)
			cells_clear(c, c + ((next - 1) / 8 - addr / 8 + 1));
		addr = next;
	}
}
