/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LATCH_H
#define HEDDLE_LATCH_H

/*
 * The guest's own lock, for tables that are changed seldom and for a few
 * instructions. Whoever holds it is inside the guest, so no handler of the
 * program runs meanwhile; and it is never held over anything that may block.
 * The zero value is open.
 */

#include <stdbool.h>

struct latch {
	bool taken;
};

static inline void latch_take(struct latch *l)
{
	/* Pairs with the release in latch_give. */
	while (__atomic_test_and_set(&l->taken, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&l->taken, __ATOMIC_RELAXED))
			__builtin_ia32_pause();
}

static inline void latch_give(struct latch *l)
{
	__atomic_clear(&l->taken, __ATOMIC_RELEASE);
}

#endif
