/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SETTLE_H
#define HEDDLE_SETTLE_H

/*
 * What every thread that the guest has met needs, however it came: the bounds
 * of its stack, its place in the roster, and an end that is noticed.
 */

#include "runtime/runtime.h"
#include "runtime/sys.h"

#include <signal.h>

enum settle_how {
	SETTLE_ADOPTED, /* its creation was not seen */
	SETTLE_CREATED,
};

/* Under control, before the first run: what is the same in all of them. */
void settle_prepare(void);

/* In the thread itself, while it is inside; its kernel_tid is known. */
void settle(struct thread *t, enum settle_how how);

/* All signals, for the short time in which a handler would find the thread
 * half known. But for the one by which libc has all threads change who they are
 * (setuid): its handler knows nothing of us, and another thread waits for it,
 * maybe with the turn. */
static inline void signals_block(uint64_t *mask)
{
	enum { SIGSETXID = 33 };
	const uint64_t all = ~(UINT64_C(1) << (SIGSETXID - 1));

	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &all, mask, sizeof(*mask));
}

static inline void signals_restore(const uint64_t *mask)
{
	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof(*mask));
}

#endif
