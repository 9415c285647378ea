/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/sync.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/syscall.h>

/*
 * Programs that build their own locks, and the wait and notify of C++ atomics,
 * sleep by syscall(SYS_futex). What orders them are the atomic accesses around;
 * the futex tells who slept, and who woke whom. Operations of priority
 * inheritance pass unseen.
 */

static long futex_result(long result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

/* Under control without ever sleeping in the kernel, where that is possible. */
static long futex_do(long number, const struct futex_call *call, uintptr_t pc)
{
	long result;

	if (controlled && model_futex(call, pc, &result))
		return futex_result(result);
	return real.syscall(number, call->word, call->operation, call->value,
			    call->timeout, call->other, call->other_value);
}

/* The arguments are where those of the variadic syscall() were. */
__attribute__((used)) static long futex_call(long number, uint32_t *word,
					     int operation, uint32_t value,
					     void *timeout, uint32_t *other,
					     uint32_t other_value)
{
	const struct futex_call call = { word,	  operation, value,
					 timeout, other,     other_value };
	uintptr_t pc = CALLER;
	long rc;

	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		sync_record(EVENT_FUTEX_WAIT, word, value, pc);
		rc = futex_do(number, &call, pc);
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
	return futex_do(number, &call, pc);
}

/* Some others go the way of the function of that name under control
 * (chance_calls.c). The rest goes on as it came: nothing on the stack, no
 * register touched. A clone that shares memory may return on another stack; its
 * flags are an argument, or the first word of what clone3 is given. */
EXPORT __attribute__((naked)) long syscall(long number __attribute__((unused)),
					   ...)
{
	__asm__("cmpq %0, %%rdi\n\t"
		"je futex_call\n\t"
		"cmpb $0, controlled(%%rip)\n\t"
		"je 1f\n\t"
		"cmpq $511, %%rdi\n\t"
		"ja 1f\n\t"
		"btq %%rdi, chance_calls(%%rip)\n\t"
		"jnc 1f\n\t"
		"cmpq %4, %%rdi\n\t"
		"je 2f\n\t"
		"cmpq %2, %%rdi\n\t"
		"jne chance_call\n\t"
		"testl %3, %%esi\n\t"
		"jz chance_call\n\t"
		"jmp 3f\n"
		"2:\ttestq %%rsi, %%rsi\n\t"
		"jz 1f\n\t"
		"testl %3, (%%rsi)\n\t"
		"jz chance_call\n"
		"3:\tpushq %%rdi\n\t"
		"pushq %%rsi\n\t"
		"pushq %%rdx\n\t"
		"pushq %%rcx\n\t"
		"pushq %%r8\n\t"
		"pushq %%r9\n\t"
		"subq $8, %%rsp\n\t"
		"call process_shares_memory\n\t"
		"addq $8, %%rsp\n\t"
		"popq %%r9\n\t"
		"popq %%r8\n\t"
		"popq %%rcx\n\t"
		"popq %%rdx\n\t"
		"popq %%rsi\n\t"
		"popq %%rdi\n"
		"1:\tjmp *real+%c1(%%rip)"
		:
		: "i"(SYS_futex), "i"(offsetof(struct real, syscall)),
		  "i"(SYS_clone), "i"(CLONE_VM), "i"(SYS_clone3));
}
