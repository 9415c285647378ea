/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/sync.h"

#include <linux/futex.h>
#include <sys/syscall.h>

/*
 * Programs that build their own locks, and the wait and notify of C++ atomics,
 * sleep by syscall(SYS_futex). What orders them are the atomic accesses around;
 * the futex tells who slept, and who woke whom. Operations of priority
 * inheritance pass unseen.
 */

/* The arguments are where those of the variadic syscall() were. */
__attribute__((used)) static long futex_call(long number, uint32_t *word,
					     int operation, uint32_t value,
					     void *timeout, uint32_t *other,
					     uint32_t other_value)
{
	uintptr_t pc = CALLER;
	long rc;

	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		sync_record(EVENT_FUTEX_WAIT, word, value, pc);
		rc = real.syscall(number, word, operation, value, timeout,
				  other, other_value);
		sync_record(EVENT_FUTEX_WOKEN, word,
			    rc < 0 ? (unsigned int)errno : 0, pc);
		return rc;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
	case FUTEX_WAKE_OP:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		sync_record(EVENT_FUTEX_WAKE, word, value, pc);
		break;
	}
	return real.syscall(number, word, operation, value, timeout, other,
			    other_value);
}

/* Every other call goes on as it came: nothing on the stack, no register
 * touched. */
EXPORT __attribute__((naked)) long syscall(long number __attribute__((unused)),
					   ...)
{
	__asm__("cmpq %0, %%rdi\n\t"
		"je futex_call\n\t"
		"jmp *real+%c1(%%rip)"
		:
		: "i"(SYS_futex), "i"(offsetof(struct real, syscall)));
}
