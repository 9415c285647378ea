/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/pairs.h"
#include "runtime/runtime.h"

/*
 * The compiler's hook for basic blocks (heddle cc --blocks). There are several
 * for each access, so it is over at once unless somebody wants it: pairs, which
 * ask for iterations of loops; and control, since a loop that reads its flag
 * once has no other hook left.
 */

/* Out of line and called last, so that the hook needs no frame. */
static __attribute__((noinline)) void block_steered(struct thread *t,
						    uintptr_t pc)
{
	if (pairing)
		pairs_block(t, pc);
	if (controlled)
		control_block(t, pc);
}

EXPORT void __sanitizer_cov_trace_pc(void);
EXPORT HOT void __sanitizer_cov_trace_pc(void)
{
	struct thread *t = self;

	if (!t || !t->alive || t->inside)
		return;
	if (pairing_plain)
		pairs_block(t, CALLER);
	else if (steered)
		block_steered(t, CALLER);
}
