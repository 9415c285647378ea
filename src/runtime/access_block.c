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

EXPORT void __sanitizer_cov_trace_pc(void);
EXPORT HOT void __sanitizer_cov_trace_pc(void)
{
	struct thread *t = self;

	if (!t || !t->alive || t->inside)
		return;
	if (pairing_plain) {
		pairs_block(t, CALLER);
		return;
	}
	if (pairing)
		pairs_block(t, CALLER);
	if (controlled)
		control_block(t, CALLER);
}
