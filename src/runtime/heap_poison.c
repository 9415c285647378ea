/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_poison.h"

#include "runtime/heap_area.h"

#define EIGHT_OPEN UINT64_C(0x0808080808080808)

/* Most blocks are small, so most loops are short. */
void poison_fill(uintptr_t addr, size_t size, int8_t code)
{
	uint64_t word = (uint8_t)code * UINT64_C(0x0101010101010101);
	int8_t *at = poison_find(addr);
	size_t n = size >> 3;

	for (; n >= 8; n -= 8, at += 8)
		__builtin_memcpy(at, &word, 8);
	for (; n; n--)
		*at++ = code;
}

static uint64_t eight_at(const int8_t *at)
{
	uint64_t word;

	__builtin_memcpy(&word, at, sizeof(word));
	return word;
}

uintptr_t poison_first(uintptr_t addr, size_t size)
{
	uintptr_t end, at = addr & ~(uintptr_t)7;

	if (addr < HEAP_AREAS)
		return huge_first(addr, size);
	if (!size)
		return addr;
	end = size < HEAP_END - addr ? addr + size : HEAP_END;
	while (at < end) {
		const int8_t *p = poison_find(at);

		if (*p < POISON_OPEN) {
			uintptr_t open = at + (*p > 0 ? (uintptr_t)*p : 0);

			if (open < end)
				return open > addr ? open : addr;
			break;
		}
		at += end - at >= 64 && eight_at(p) == EIGHT_OPEN ? 64 : 8;
	}
	return end;
}
