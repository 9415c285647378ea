/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs.h"
#include "runtime/runtime.h"

/*
 * The compiler's hook for basic blocks, in programs built with heddle cc
 * --loops. It is called more often than any other, and mostly for nothing.
 */

EXPORT HOT void __sanitizer_cov_trace_pc(void);
EXPORT HOT void __sanitizer_cov_trace_pc(void)
{
	struct thread *t = self;

	if (likely(!pairing) || !t || !t->alive || t->inside)
		return;
	pairs_block(t, CALLER);
}
